"""How many pods and GPUs a replica is spread over, and what of that no engine is told."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template
from loco.spec.service import Parallelism
from loco.spec.tree import Path, dotted
from loco.workloads.engine_flags import Spread, given_flags, spread_of
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


def too_few_gpus(
    engine: Mapping[str, Any], place: Path, side: Side, resolved: Resolved, number: int, script: bool
) -> list[Finding]:
    """An error where a pod's ranks need more GPUs than its engine asks for: it would wait for them for ever.

    An engine that asks for none, on CPUs or with claimed devices, is left alone; so is a command of the user's own
    (not ``script``), of which flags can be read but not what they are for. ``number`` is its place among the pod's
    containers.
    """
    chosen = side.workload.parallelism or Parallelism()
    spread = spread_of(engine, side, script)
    gpus = gpus_of({"containers": [engine]})
    if not script:
        spread = Spread(chosen.tensor or 1, 1, (chosen.data_local or 1) if side.multi_node else 1)
    if gpus == 0 or spread.processes <= gpus:
        return []
    needed, within = spread.processes, f" (spec.{dotted(place)})" if side.multi_node else ""
    if needed == spread.tensor:
        message = f"the engine spreads each layer over {needed} GPUs, and its container asks for {gpus}{within}"
        cure = f"tensor: {gpus}, or {needed} GPUs among the container's limits"
    else:
        stages = f" × {spread.pipeline} stages" if spread.pipeline > 1 else ""
        ranks = f" × dataLocal {spread.ranks}" if spread.ranks > 1 else ""
        message = (
            f"tensor {spread.tensor}{stages}{ranks} = {needed} GPUs in each pod, and the container asks for {gpus}"
        )
        message, cure = message + within, f"{needed} GPUs among the container's limits, or fewer ranks in a pod"
    flags = given_flags(engine, script) if script else {}
    for name in ("tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size-local", "data-parallel-size"):
        if (flag := flags.get(name)) and (flag.number or 1) > 1 and not chosen.tensor:
            where: Path = ("containers", number, *flag.where)
            value = " ".join((f"--{name}", *flag.values))
            return [in_template(resolved, where, message, cure, place=place, value=value)]
    field = "tensor" if chosen.tensor else "dataLocal"
    path = (*side.path, "parallelism", field)
    at, origin = dotted(("spec", *path)), resolved.origin_at(*path)
    value_of_field = spread.tensor if chosen.tensor else spread.ranks
    return [Finding("LOCO-VALUE", "error", at, message, cure, origin, resolved.subject, value_of_field)]


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
