"""Autoscaling: one mode, one actuator, bounds that hold, and nothing that its own controller decides."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.rules.judged import Judged, sides
from loco.spec.scaling import KEDA, DirectKEDA, Scaling
from loco.spec.tree import Path

_DEFAULT_LEAST = 1
_TRIGGERS = "triggers: [{type: prometheus, metadata: {serverAddress: …, query: …, threshold: …}}]"


def scaling(judged: Judged) -> Iterator[Finding]:
    """Of the main workload and of prefill, and of the two together."""
    for side, workload in sides(judged):
        if workload.scaling is None:
            continue
        where = (*side, "scaling")
        if workload.replicas is not None:
            message = f"an autoscaler sets the replicas, and {side[-1]}.replicas fixes them"
            yield judged.finding(where, message, "scaling without replicas, or replicas without scaling")
        yield from _bounds(judged, where, workload.scaling)
        yield from _mode(judged, where, workload.scaling)
    yield from _alike(judged)


def _bounds(judged: Judged, where: Path, written: Scaling) -> Iterator[Finding]:
    least, most = written.min_replicas or _DEFAULT_LEAST, written.max_replicas
    if most is None:
        cure = f"maxReplicas: {max(least, 2)}"
        yield judged.finding((*where, "maxReplicas"), "nothing bounds the replicas: maxReplicas is missing", cure)
    elif least > most:
        message = f"minReplicas is {least} and maxReplicas {most}"
        yield judged.finding(where, message, f"minReplicas: {most}, or less", fault=(*where, "minReplicas"))


def _mode(judged: Judged, where: Path, written: Scaling) -> Iterator[Finding]:
    least = written.min_replicas or _DEFAULT_LEAST
    if written.wva is not None and written.keda is not None:
        yield judged.finding(where, "wva and keda exclude each other", "one of wva, keda")
    elif written.wva is None and written.keda is None:
        yield judged.finding(where, "nothing says what scales", f"keda: {{{_TRIGGERS}}}, or wva: {{hpa: {{}}}}")
    if written.wva is not None:
        below, wva = (*where, "wva"), written.wva
        if wva.hpa is not None and wva.keda is not None:
            yield judged.finding(below, "hpa and keda exclude each other", "one of hpa, keda")
        elif wva.hpa is None and wva.keda is None:
            yield judged.finding(below, "nothing acts on what wva computes", "hpa: {}, or keda: {}")
        if wva.keda is not None:
            yield from _keda(judged, (*below, "keda"), wva.keda, least)
            yield from _own_formula(judged, (*below, "keda"), wva.keda)
    if written.keda is not None:
        yield from _keda(judged, (*where, "keda"), written.keda, least)
        yield from _triggers(judged, (*where, "keda", "triggers"), written.keda)


def _keda(judged: Judged, where: Path, keda: KEDA, least: int) -> Iterator[Finding]:
    idle = keda.idle_replica_count
    if idle is not None and idle >= least:
        message = f"idle there are {idle} replicas, which is not below minReplicas, {least}"
        yield judged.finding((*where, "idleReplicaCount"), message, f"at most {least - 1}, or a higher minReplicas")
    config = keda.advanced.horizontal_pod_autoscaler_config if keda.advanced else None
    if config is not None and config.name:
        place = (*where, "advanced", "horizontalPodAutoscalerConfig", "name")
        yield judged.finding(place, "the autoscaler's name follows from the service's", "the config without a name")


def _own_formula(judged: Judged, where: Path, keda: KEDA) -> Iterator[Finding]:
    modifiers = keda.advanced.scaling_modifiers if keda.advanced else None
    if modifiers is not None and any(value for _, value in modifiers):
        place = (*where, "advanced", "scalingModifiers")
        message = "under wva the metric is wva's own, and no formula changes it"
        yield judged.finding(place, message, "wva without scalingModifiers, or keda with triggers of your own")


def _triggers(judged: Judged, where: Path, keda: DirectKEDA) -> Iterator[Finding]:
    if not keda.triggers:
        yield judged.finding(where, "without a trigger nothing ever scales", _TRIGGERS)
    for index, trigger in enumerate(keda.triggers or []):
        for field, value in (("type", trigger.type), ("metadata", trigger.metadata)):
            if value is None or value == "":
                yield judged.finding((*where, index, field), f"the trigger's {field} is missing", _TRIGGERS)


def _alike(judged: Judged) -> Iterator[Finding]:
    """Decode and prefill are scaled by one system, or each would see the other's moves as load."""
    main = judged.spec.scaling
    prefill = judged.spec.prefill.scaling if judged.spec.prefill else None
    if main is None or prefill is None:
        return
    where: Path = ("spec", "prefill", "scaling")
    modes = [[mode for mode in ("wva", "keda") if getattr(side, mode) is not None] for side in (main, prefill)]
    if any(len(mode) != 1 for mode in modes):
        return
    if modes[0] != modes[1]:
        message = f"prefill is scaled by {modes[1][0]}, and the main workload by {modes[0][0]}"
        yield judged.finding(where, message, f"{modes[0][0]} for both")
    elif main.wva is not None and prefill.wva is not None:
        actors = [[a for a in ("hpa", "keda") if getattr(side, a) is not None] for side in (main.wva, prefill.wva)]
        if all(len(actor) == 1 for actor in actors) and actors[0] != actors[1]:
            message = f"prefill is scaled through {actors[1][0]}, and the main workload through {actors[0][0]}"
            yield judged.finding((*where, "wva"), message, f"{actors[0][0]} for both")
