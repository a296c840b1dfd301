# With KSERVE_INFER_ROCE=true, points NCCL, NVSHMEM and UCX at the RoCE devices of the node. What is set already stays.
discover_roce() {
  local wanted=${KSERVE_INFER_IB_GID_INDEX_GREP:-RoCE v2} devices=() device type index best='' best_count=0
  local -A wins=()
  echo "RoCE: gids and their types, as the node shows them:"
  grep -rH . /sys/class/infiniband/*/ports/*/gids /sys/class/infiniband/*/ports/*/gid_attrs/types 2>/dev/null
  cat /proc/driver/nvidia/params 2>/dev/null

  for device in /sys/class/infiniband/mlx5_*; do
    grep -q ACTIVE "$device/ports/1/state" 2>/dev/null || continue
    grep -qsF -- "$wanted" "$device"/ports/1/gid_attrs/types/* && devices+=("$device")
  done
  if [ -z "${devices[*]}" ]; then
    echo "RoCE: no active device has a gid of type $wanted" >&2
  else
    local names=() with_port=()
    for device in "${devices[@]}"; do
      names+=("${device##*/}")
      with_port+=("${device##*/}:1")
    done
    local IFS=,
    export NCCL_IB_HCA=${NCCL_IB_HCA:-"${names[*]}"}
    export NVSHMEM_HCA_LIST=${NVSHMEM_HCA_LIST:-"${with_port[*]}"}
    export UCX_NET_DEVICES=${UCX_NET_DEVICES:-"${with_port[*]}"}
    unset IFS
  fi

  # Of each device the first gid of the wanted type with an IPv4-mapped address; of all devices the index most often seen.
  for device in "${devices[@]}"; do
    for index in $(ls "$device/ports/1/gid_attrs/types" 2>/dev/null | sort -n); do
      type=$(cat "$device/ports/1/gid_attrs/types/$index" 2>/dev/null)
      if [[ $type == *"$wanted"* ]] && grep -qs 'ffff:' "$device/ports/1/gids/$index"; then
        wins[$index]=$((${wins[$index]:-0} + 1))
        break
      fi
    done
  done
  for index in "${!wins[@]}"; do # among equals index 3 wins, the one that most fabrics are built around
    if ((wins[$index] > best_count)) || { ((wins[$index] == best_count)) && [ "$index" = 3 ]; }; then
      best=$index best_count=${wins[$index]}
    fi
  done
  best=${NCCL_IB_GID_INDEX:-$best}
  if [ -z "$best" ]; then
    echo "RoCE: no gid index found; NCCL chooses by itself" >&2
    return
  fi
  export NCCL_IB_GID_INDEX=$best
  export NVSHMEM_IB_GID_INDEX=${NVSHMEM_IB_GID_INDEX:-$best} UCX_IB_GID_INDEX=${UCX_IB_GID_INDEX:-$best}
}
if [ "${KSERVE_INFER_ROCE:-}" = true ]; then
  discover_roce
fi
