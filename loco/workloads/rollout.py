"""How a Deployment replaces its pods: as written, or by what spare GPUs the platform has."""

from collections.abc import Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.spec import Platform


def strategy(
    resolved: Resolved, pod: Mapping[str, Any], platform: Platform
) -> tuple[dict[str, Any] | None, list[Finding]]:
    """The Deployment's strategy, None for Kubernetes' own default, and a warning where a roll means a gap.

    A strategy that a layer writes is taken as it is. Otherwise, under the profile ``safe``, a pod with GPUs surges only
    where the platform has that many to spare: on a full cluster a surging pod would stay Pending and the roll never end.
    """
    written = resolved.spec.rollout_strategy
    if written is not None and (written.max_surge is not None or written.max_unavailable is not None):
        chosen = {"maxUnavailable": written.max_unavailable, "maxSurge": written.max_surge}
        return _rolling({key: value for key, value in chosen.items() if value is not None}), []
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
    """GPUs that one pod asks for: extended resources whose name ends in ``gpu``, such as nvidia.com/gpu."""
    total = 0
    for container in pod.get("containers") or []:
        resources = container.get("resources") or {}
        wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
        total += sum(int(str(amount)) for name, amount in wanted.items() if _is_gpu(name) and str(amount).isdigit())
    return total


def _is_gpu(resource: str) -> bool:
    domain, separator, name = resource.partition("/")
    return bool(separator) and "." in domain and name.endswith("gpu")


def _rolling(update: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": update}
