"""How many pods and GPUs a replica is spread over, and what of that no engine is told."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.spec.service import Parallelism
from loco.spec.tree import Path, dotted
from loco.workloads.rollout import gpus_of
from loco.workloads.side import Side

# What becomes of each field in the command of a preset. The others say how many pods a group has, flag or no flag, and
# what they do to a single pod is judged with the spec.
_FLAGS = {
    "tensor": "--tensor-parallel-size",
    "expert": "--enable-expert-parallel",
}


def group_size(side: Side) -> int | None:
    """Pods of one replica: one for each ``dataLocal`` of ``data``, or one for each stage of a pipeline."""
    chosen = side.workload.parallelism or Parallelism()
    if chosen.data or chosen.data_local:
        return (chosen.data or 1) // (chosen.data_local or 1)
    return chosen.pipeline


def is_data_parallel(side: Side) -> bool:
    """Whether several engines share the requests of one replica."""
    chosen = side.workload.parallelism or Parallelism()
    return bool(chosen.data or chosen.data_local)


def too_few_gpus(engine: Mapping[str, Any], place: Path, side: Side, resolved: Resolved) -> list[Finding]:
    """An error where a pod's ranks need more GPUs than its engine asks for: it would wait for them for ever.

    An engine that asks for none, on CPUs or with claimed devices, is left alone.
    """
    chosen = side.workload.parallelism or Parallelism()
    tensor = chosen.tensor or 1
    ranks = (chosen.data_local or 1) if side.multi_node else 1
    gpus = gpus_of({"containers": [engine]})
    needed = tensor * ranks
    if gpus == 0 or needed <= gpus:
        return []
    if ranks == 1:
        message = f"the engine spreads each layer over {tensor} GPUs, and its container asks for {gpus}"
        cure = f"tensor: {gpus}, or {needed} GPUs among the container's limits"
    else:
        message = f"tensor {tensor} × dataLocal {ranks} = {needed} GPUs in each pod, and the container asks for {gpus}"
        cure = f"{needed} GPUs among the container's limits, or fewer ranks in a pod"
    if side.multi_node:
        message += f" (spec.{dotted(place)})"
    field = "tensor" if chosen.tensor else "dataLocal"
    path = (*side.path, "parallelism", field)
    where, origin = dotted(("spec", *path)), resolved.origin_at(*path)
    value = tensor if chosen.tensor else ranks
    return [Finding("LOCO-VALUE", "error", where, message, cure, origin, resolved.subject, value)]


def without_flag(
    engines: Iterable[tuple[Path, Mapping[str, Any]]], side: Side, resolved: Resolved
) -> Iterator[Finding]:
    """A warning for each field that no engine of the side is told of.

    Only a preset's command has flags for them; ``engines`` are the side's containers with their places in the spec.
    """
    preset = [engine for path, engine in engines if resolved.origin_at(*path, "command").layer.startswith("preset:")]
    words = " ".join(str(word) for engine in preset for word in engine.get("command") or [])
    chosen = (side.workload.parallelism or Parallelism()).model_dump(by_alias=True)
    for field, flag in _FLAGS.items():
        if not chosen[field] or flag in words:
            continue
        if preset:
            message = "the preset's command has no flag for this"
            cure = f"{flag} among the container's args" + ("" if side.multi_node else ", or a replica of several pods")
        else:
            message = "with a command of your own nothing turns this into a flag of the engine"
            cure = "the flag in your command, or the container without command"
        path = (*side.path, "parallelism", field)
        where, origin = dotted(("spec", *path)), resolved.origin_at(*path)
        yield Finding("LOCO-NO-EFFECT", "warning", where, message, cure, origin, resolved.subject, chosen[field])
