{## One of the pods of a replica that has one stage of the model in each; the preset says also whether it leads. ##}
{% include 'head.sh' %}

# vLLM spans pods without Ray since 0.11.1. A build without a number is given the benefit of the doubt.
if [[ $version =~ ^[0-9]+\.[0-9]+ && $version != *dev* ]] && ! at_least 0.11.1; then
  echo "pipeline parallelism over several pods needs vLLM 0.11.1 or later, and this image has $version" >&2
  exit 64
fi
{% include 'group.sh' %}
{% if side.parallelism.expert %}
arguments+=(--enable-expert-parallel)
{% endif %}
{% if side.parallelism.tensor %}
arguments+=(--tensor-parallel-size {{ side.parallelism.tensor }})
{% endif %}
{% set stages = side.parallelism.pipeline or 1 %}
arguments+=(--pipeline-parallel-size {{ stages }} --distributed-executor-backend mp)
arguments+=(--nnodes {{ stages }} --node-rank "$index" --master-addr "$leader")
{% if not leads %}
arguments+=(--headless)
{% endif %}
{% include 'versioned.sh' %}
{% include 'tail.sh' %}
