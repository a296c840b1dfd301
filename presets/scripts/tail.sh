{% if tls %}
arguments+=(--enable-ssl-refresh --ssl-certfile /var/run/kserve/tls/tls.crt --ssl-keyfile /var/run/kserve/tls/tls.key)
{% endif %}
exec vllm serve "${arguments[@]}" "${users[@]}"
