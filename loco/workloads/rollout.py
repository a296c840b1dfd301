"""How a workload replaces its pods: as written, or by what spare GPUs the platform has."""

from collections.abc import Mapping
from math import ceil
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import amount, is_sidecar
from loco.spec import Platform
from loco.spec.kubernetes.resources import is_accelerator
from loco.spec.service import RolloutStrategy
from loco.spec.tree import dotted
from loco.workloads.side import Side
from loco.workloads.stopped import is_stopped


def strategy(
    resolved: Resolved, side: Side, pod: Mapping[str, Any], platform: Platform
) -> tuple[dict[str, Any] | None, list[Finding]]:
    """The Deployment's strategy, None for Kubernetes' own default, and a warning where a roll means a gap.

    A strategy that a layer writes is taken as it is. Otherwise, under the profile ``safe``, a pod with GPUs surges
    only where the platform has that many to spare: on a full cluster a surging pod would stay Pending and the roll
    never end.
    """
    if written := _written(side):
        return _rolling(written), _surging({"maxSurge": "25%", **written}, resolved, side, gpus_of(pod), platform)
    update, findings = _by_spare_gpus(resolved, side, gpus_of(pod), platform)
    return _rolling(update) if update is not None else None, findings


def group_strategy(
    resolved: Resolved, side: Side, gpus: int, platform: Platform
) -> tuple[dict[str, Any] | None, list[Finding]]:
    """The same for a LeaderWorkerSet, whose groups of pods with ``gpus`` GPUs each are replaced as a whole.

    What a layer leaves out of a strategy is one group down and none more, the LeaderWorkerSet's own default.
    """
    if written := _written(side):
        chosen = {"maxUnavailable": 1, "maxSurge": 0, **written}
        return chosen, _surging(chosen, resolved, side, gpus, platform)
    return _by_spare_gpus(resolved, side, gpus, platform)


def _written(side: Side) -> dict[str, Any]:
    written = side.workload.rollout_strategy or RolloutStrategy()
    chosen = {"maxUnavailable": written.max_unavailable, "maxSurge": written.max_surge}
    return {key: value for key, value in chosen.items() if value is not None}


def _surging(chosen: Mapping[str, Any], resolved: Resolved, side: Side, gpus: int, platform: Platform) -> list[Finding]:
    """A warning where a user's own strategy starts more pods than the platform has spare GPUs for."""
    if resolved.profile.settings.rollout != "spareCapacity" or is_stopped(resolved) or side.workload.replicas == 0:
        return []
    replicas = 1 if side.workload.replicas is None else side.workload.replicas  # where scaled, one at least
    surge = str(chosen["maxSurge"])
    pods = ceil(replicas * int(surge[:-1]) / 100) if surge.endswith("%") else int(surge)
    if pods * gpus <= platform.spare_gpus:
        return []
    message = f"a roll needs {many(pods * gpus)} more while it lasts, and platform.spareGpus is {platform.spare_gpus}"
    cure = f"platform.spareGpus: {pods * gpus} where the cluster has them, or maxSurge: 0 with maxUnavailable: 1"
    below = "maxSurge" if "maxSurge" in _written(side) else None
    path = (*side.path, "rolloutStrategy", *([below] if below else ()))
    origin, where = resolved.origin_at(*path), dotted(("spec", *path))
    value = chosen["maxSurge"]
    return [Finding("LOCO-ROLLOUT-SURGE", "warning", where, message, cure, origin, resolved.subject, value)]


def _by_spare_gpus(
    resolved: Resolved, side: Side, gpus: int, platform: Platform
) -> tuple[dict[str, Any] | None, list[Finding]]:
    if resolved.profile.settings.rollout != "spareCapacity" or gpus == 0:
        return None, []
    if platform.spare_gpus >= gpus:
        return {"maxSurge": 1, "maxUnavailable": 0}, []
    findings = [] if is_stopped(resolved) else _gap(resolved, side, gpus, platform)
    return {"maxSurge": 0, "maxUnavailable": 1}, findings


def _gap(resolved: Resolved, side: Side, gpus: int, platform: Platform) -> list[Finding]:
    """A warning where the pod, or group of pods, that stops may be the only one."""
    scaling, replicas = side.workload.scaling, side.workload.replicas
    least = scaling.min_replicas if scaling is not None else replicas
    if least not in (None, 1):
        return []
    what = "group of pods" if side.multi_node else "pod"
    need = f"a new {what} needs {many(gpus)} and platform.spareGpus is {platform.spare_gpus}, so "
    field = "replicas"
    if scaling is not None:
        field, more = "scaling", "minReplicas: 2"
        message = f"{need}where the autoscaler has left one {what}, it stops before the next one starts"
    elif replicas is None:
        more = "replicas: 2, or as many from whoever scales it"
        message = f"{need}if there is one {what} only (no layer writes replicas), it stops before the next one starts"
    else:
        more, message = "replicas: 2", f"{need}the only {what} stops before the next one starts"
    cure = f"platform.spareGpus: {gpus} where the cluster has them, {more}, or a rolloutStrategy of your own"
    origin = resolved.origin_at(*side.path, field)
    where = dotted(("spec", *side.path, "rolloutStrategy"))
    return [Finding("LOCO-ROLLOUT-GAP", "warning", where, message, cure, origin, resolved.subject)]


def many(gpus: int) -> str:
    """A count of GPUs in words of a message."""
    return f"{gpus} GPU" if gpus == 1 else f"{gpus} GPUs"


def gpus_of(pod: Mapping[str, Any]) -> int:
    """GPUs and other accelerators that one pod asks for.

    As the scheduler counts: containers and sidecars together, or an init container alone where that needs more.
    """
    initial = pod.get("initContainers") or []
    running = [*(pod.get("containers") or []), *filter(is_sidecar, initial)]
    alone = [_accelerators(container) for container in initial if not is_sidecar(container)]
    return max(sum(map(_accelerators, running)), *alone, 0)


def _accelerators(container: Mapping[str, Any]) -> int:
    resources = container.get("resources") or {}
    wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    return sum(ceil(amount(much)) for name, much in wanted.items() if is_accelerator(name))


def _rolling(update: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": update}
