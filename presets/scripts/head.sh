# Starts vLLM. Arguments are collected in a list, so no text that a user controls is ever parsed as shell.
# Of the image it needs bash, vllm and the coreutils; it writes no file.
{## A preset sets before it includes a script: side (main or prefill), pod (whose grace period counts), port, served. ##}
{% include 'roce.sh' %}

{% include 'words.sh' %}

version=$(vllm --version 2>/dev/null | tail -n 1)
version=${version##* }
at_least() { # whether vLLM is of this version or later; an unreadable version counts as older
  [[ $version =~ ^[0-9]+\.[0-9]+ ]] && [ "$(printf '%s\n%s\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ]
}

if ! split_words "${VLLM_ADDITIONAL_ARGS:-}"; then
  echo "VLLM_ADDITIONAL_ARGS can't be split into words: a quote isn't closed, or a backslash ends it" >&2
  exit 64
fi
users=("${words[@]}")
for argument in "$@"; do # the service's own args come last, so they win; quotes around a whole one are taken off
  if [[ $argument == \'*\' && ${argument:1:-1} != *\'* ]]; then
    argument=${argument:1:-1}
  fi
  users+=("$argument")
done

arguments=(/mnt/models --served-model-name{% for name in served %} {{ name | sh }}{% endfor %} --port {{ port }})
