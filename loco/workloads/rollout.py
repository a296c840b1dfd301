"""How a Deployment replaces its pods: as written, or by what spare GPUs the platform has."""

import re
from collections.abc import Mapping
from fnmatch import fnmatch
from math import ceil
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import amount, is_sidecar
from loco.spec import Platform

# Extended resources of which one unit is a device, or a part of one, that a cluster has few of. Not those that count
# a device's memory or cores, such as nvidia.com/gpumem.
_ACCELERATORS = (
    "*.*/gpu",
    "*.*/*.gpu",
    "*.*/gpu.shared",
    "*.*/mig-*",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "habana.ai/gaudi",
    "google.com/tpu",
    "aws.amazon.com/neuron",
)


def strategy(
    resolved: Resolved, pod: Mapping[str, Any], platform: Platform
) -> tuple[dict[str, Any] | None, list[Finding]]:
    """The Deployment's strategy, None for Kubernetes' own default, and a warning where a roll means a gap.

    A strategy that a layer writes is taken as it is. Otherwise, under the profile ``safe``, a pod with GPUs surges
    only where the platform has that many to spare: on a full cluster a surging pod would stay Pending and the roll
    never end.
    """
    written = resolved.spec.rollout_strategy
    if written is not None and (written.max_surge is not None or written.max_unavailable is not None):
        chosen = {"maxUnavailable": written.max_unavailable, "maxSurge": written.max_surge}
        update = {key: value for key, value in chosen.items() if value is not None}
        return _rolling(update), _refused(update, resolved)
    gpus = gpus_of(pod)
    if resolved.profile.settings.rollout != "spareCapacity" or gpus == 0:
        return None, []
    if platform.spare_gpus >= gpus:
        return _rolling({"maxSurge": 1, "maxUnavailable": 0}), []
    findings = []
    if resolved.spec.replicas in (None, 1):
        message = (
            f"a new pod needs {gpus} GPUs and platform.spareGpus is {platform.spare_gpus}, "
            "so the only pod stops before the next one starts"
        )
        cure = (
            f"platform.spareGpus: {gpus} where the cluster has them, a second replica, or a rolloutStrategy of your own"
        )
        origin = resolved.origin_at("replicas")
        findings.append(
            Finding("LOCO-ROLLOUT-GAP", "warning", "spec.rolloutStrategy", message, cure, origin, resolved.subject)
        )
    return _rolling({"maxSurge": 0, "maxUnavailable": 1}), findings


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
    return sum(ceil(amount(much)) for name, much in wanted.items() if _is_accelerator(name))


def _is_accelerator(resource: str) -> bool:
    return any(fnmatch(resource, pattern) for pattern in _ACCELERATORS)


def _refused(update: Mapping[str, int | str], resolved: Resolved) -> list[Finding]:
    """What the API server would not take for a rolling update."""
    findings = []

    def refuse(key: str, message: str, cure: str) -> None:
        origin = resolved.origin_at("rolloutStrategy", key)
        path = f"spec.rolloutStrategy.{key}"
        findings.append(Finding("LOCO-VALUE", "error", path, message, cure, origin, resolved.subject, update.get(key)))

    for key, value in update.items():
        if isinstance(value, str) and not re.fullmatch(r"[0-9]+%", value):
            refuse(key, "this is neither a whole number nor a percentage", "1, or 25%")
        elif isinstance(value, int) and value < 0:
            refuse(key, "this is below 0", "0 or more")
        elif key == "maxUnavailable" and isinstance(value, str) and int(value[:-1]) > 100:
            refuse(key, "more than all pods can't be unavailable", "at most 100%")
    if len(update) == 2 and all(str(value).removesuffix("%").strip("0") == "" for value in update.values()):
        refuse("maxUnavailable", "with maxSurge 0 too, no pod could ever be replaced", "maxUnavailable: 1")
    return findings


def _rolling(update: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": update}
