# Starts vLLM's renderer. Flags of its own are the same in every version that has it.
arguments=(/mnt/models/base --port=8000)
{% if tls %}
arguments+=(--enable-ssl-refresh --ssl-certfile /var/run/kserve/tls/tls.crt --ssl-keyfile /var/run/kserve/tls/tls.key)
{% endif %}
exec vllm launch render "${arguments[@]}" "$@"
