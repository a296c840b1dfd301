# Flags that vLLM has known since different versions.
if at_least 0.16.0; then
  arguments+=(--disable-access-log-for-endpoints /health,/metrics,/ping)
else
  arguments+=(--disable-uvicorn-access-log)
fi
if at_least 0.18.0; then
  arguments+=(--shutdown-timeout {{ shutdown_timeout(pod, 15) }})
fi
{% if side.kv_transfer %}
own_transfer=
for argument in "${users[@]}"; do
  if [[ ${argument//_/-} == --kv-transfer-config* ]]; then own_transfer=yes; fi
done
{% if side.offloads %}
if [ -n "$own_transfer" ]; then
  echo "kvCacheOffloading has no effect: a --kv-transfer-config of the service's own stands in its place" >&2
elif at_least 0.22.0; then
  arguments+=(--kv-transfer-config {{ side.kv_transfer | sh }})
else
  echo "kvCacheOffloading has no effect: vLLM ${version:-of an unknown version} is older than 0.22" >&2
{% if side.kv_transfer_before_tiers %}
  arguments+=(--kv-transfer-config {{ side.kv_transfer_before_tiers | sh }})
{% endif %}
fi
{% else %}
if [ -z "$own_transfer" ]; then
  arguments+=(--kv-transfer-config {{ side.kv_transfer | sh }})
fi
{% endif %}
{% endif %}
