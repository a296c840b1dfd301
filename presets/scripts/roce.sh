# With KSERVE_INFER_ROCE=true, points NCCL, NVSHMEM and UCX at the RoCE devices of the node. What is set already stays.
discover_roce() {
  local wanted=${KSERVE_INFER_IB_GID_INDEX_GREP:-RoCE v2} devices=() wins=() names='' with_port='' device index best=''
  echo "RoCE: gids and their types, as the node shows them:"
  grep -rH . /sys/class/infiniband/*/ports/*/gids /sys/class/infiniband/*/ports/*/gid_attrs/types 2>/dev/null
  cat /proc/driver/nvidia/params 2>/dev/null

  for device in /sys/class/infiniband/mlx5_*; do
    if grep -qs ACTIVE "$device/ports/1/state" && grep -qsF -- "$wanted" "$device"/ports/1/gid_attrs/types/*; then
      devices+=("$device")
      names+=,${device##*/}
      with_port+=,${device##*/}:1
    fi
  done
  if [ -n "$names" ]; then
    export NCCL_IB_HCA=${NCCL_IB_HCA:-${names#,}}
    export NVSHMEM_HCA_LIST=${NVSHMEM_HCA_LIST:-${with_port#,}} UCX_NET_DEVICES=${UCX_NET_DEVICES:-${with_port#,}}
  else
    echo "RoCE: no active device has a gid of type $wanted" >&2
  fi

  # Of each device the first gid of the wanted type with an IPv4-mapped address; of all devices the index most often seen.
  for device in "${devices[@]}"; do
    for ((index = 0; index < 256; index++)); do # a port's table has at most 256 gids
      if grep -qsF -- "$wanted" "$device/ports/1/gid_attrs/types/$index" &&
        grep -qs ffff: "$device/ports/1/gids/$index"; then
        wins[index]=$((${wins[index]:-0} + 1))
        break
      fi
    done
  done
  for index in "${!wins[@]}"; do # among equals index 3 wins, which most fabrics use, else the lowest
    if [ -z "$best" ] || ((wins[index] > wins[best] || (wins[index] == wins[best] && index == 3))); then
      best=$index
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
