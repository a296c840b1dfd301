{% include 'head.sh' %}

{% include 'versioned.sh' %}
{% if side.parallelism.tensor %}
arguments+=(--tensor-parallel-size {{ side.parallelism.tensor }})
{% endif %}
{% include 'tail.sh' %}
