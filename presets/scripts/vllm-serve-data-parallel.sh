{## One of the pods of a replica whose ranks are spread over pods; the preset says also whether it leads. ##}
{% include 'head.sh' %}

{% include 'group.sh' %}
{% set local_ranks = side.parallelism.dataLocal or 1 %}
{% if leads %}
arguments+=(--api-server-count "${VLLM_API_SERVER_COUNT:-8}")
{% endif %}
{% if side.parallelism.expert %}
arguments+=(--enable-expert-parallel)
{% endif %}
{% if side.parallelism.tensor %}
arguments+=(--tensor-parallel-size {{ side.parallelism.tensor }})
{% endif %}
arguments+=(--data-parallel-size {{ side.parallelism.data or 1 }} --data-parallel-size-local {{ local_ranks }})
arguments+=(--data-parallel-address "$leader" --data-parallel-rpc-port {{ side.parallelism.dataRPCPort or 5555 }})
arguments+=(--data-parallel-start-rank "$((index * {{ local_ranks }}))")
{% if not leads %}
arguments+=(--headless)
{% endif %}
{% include 'versioned.sh' %}
{% include 'tail.sh' %}
