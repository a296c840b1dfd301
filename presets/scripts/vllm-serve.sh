# Starts vLLM. Arguments are collected in a list, so no text that a user controls is ever parsed as shell.
# Of the image it needs bash, vllm and the coreutils; it writes no file.
{% include 'roce.sh' %}

{% include 'words.sh' %}

version=$(vllm --version 2>/dev/null | tail -n 1)
version=${version##* }
at_least() { # whether vLLM is of this version or later; an unreadable version counts as older
  [[ $version =~ ^[0-9]+\.[0-9]+ ]] && [ "$(printf '%s\n%s\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ]
}

{## Kubernetes expands $(NAME) and $$ in a command before bash reads it, hence each $ in quotes of its own. ##}
arguments=(/mnt/models --served-model-name{% for served in served_names %} {{ served | sh | replace("$", "'\"$\"'") }}{% endfor %} --port {{ engine_port }})
if at_least 0.16.0; then
  arguments+=(--disable-access-log-for-endpoints /health,/metrics,/ping)
else
  arguments+=(--disable-uvicorn-access-log)
fi
if at_least 0.18.0; then
  arguments+=(--shutdown-timeout {{ shutdown_timeout(spec.template, 15) }})
fi
{% if spec.parallelism.tensor %}
arguments+=(--tensor-parallel-size {{ spec.parallelism.tensor }})
{% endif %}
{% if tls %}
arguments+=(--enable-ssl-refresh --ssl-certfile /var/run/kserve/tls/tls.crt --ssl-keyfile /var/run/kserve/tls/tls.key)
{% endif %}

if ! split_words "${VLLM_ADDITIONAL_ARGS:-}"; then
  echo "VLLM_ADDITIONAL_ARGS can't be split into words: a quote isn't closed, or a backslash ends it" >&2
  exit 64
fi
arguments+=("${words[@]}")

for argument in "$@"; do # the service's own args come last, so they win; quotes around a whole one are taken off
  if [[ $argument == \'*\' && ${argument:1:-1} != *\'* ]]; then
    argument=${argument:1:-1}
  fi
  arguments+=("$argument")
done

exec vllm serve "${arguments[@]}"
