# The other pods of the replica, as LeaderWorkerSet tells of them: the leader's address and this pod's own number.
if [ -z "${LWS_LEADER_ADDRESS:-}" ]; then
  echo "LWS_LEADER_ADDRESS is not set: this pod is none of a LeaderWorkerSet's" >&2
  exit 64
fi
number_or() { # the text if it is a whole number, else the default; bash would run what stands in any other
  if [[ $1 =~ ^[0-9]{1,6}$ ]]; then echo "$((10#$1))"; else echo "$2"; fi
}
# The leader's name may not be known yet. Its address is asked for once a second; in the end the name itself has to do.
leader=
attempts=$(number_or "${DP_ADDRESS_RESOLVE_ATTEMPTS:-}" 30)
for ((attempt = 1; attempt <= attempts; attempt++)); do
  leader=$(getent hosts "$LWS_LEADER_ADDRESS")
  leader=${leader%%[[:space:]]*}
  if [ -n "$leader" ]; then break; fi
  if ((attempt < attempts)); then sleep 1; fi
done
if [ -z "$leader" ]; then
  echo "no address was found for $LWS_LEADER_ADDRESS; it is used as it is" >&2
  leader=$LWS_LEADER_ADDRESS
fi
{% if leads %}
index=0
{% else %}
index=$(number_or "${LWS_WORKER_INDEX:-}" 0)
if ((index == 0)); then # two pods with the leader's ranks would wait for ever for the others
  echo "LWS_WORKER_INDEX is ${LWS_WORKER_INDEX:-not set}, which is no worker's" >&2
  exit 64
fi
{% endif %}
