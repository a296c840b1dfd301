"""Claims that one node at a time may mount, against how many pods of the plan mount them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loco.model import Finding, Manifest
from loco.model.pod_templates import pod_templates

_SHARED = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def check_shared_claims(manifests: Iterable[Manifest]) -> list[Finding]:
    """``LOCO-CLAIM``: an error for a claim of one node that several pods mount, a warning where a roll makes them two.

    Of the claims of the plan alone; what access modes another one has, only the cluster knows.
    """
    manifests = tuple(manifests)
    findings = []
    for claim in (manifest for manifest in manifests if manifest.id.kind == "PersistentVolumeClaim"):
        modes: Sequence[str] = (claim.data.get("spec") or {}).get("accessModes") or []
        readers = [one for one in manifests if one.namespace == claim.namespace and _mounts(one, claim.name)]
        if not modes or _SHARED & set(modes) or not readers:
            continue
        pods = sum(_pods(reader, claim.name) for reader in readers)
        who = ", ".join(str(reader.id) for reader in readers)
        cure = "accessModes: [ReadWriteMany] or [ReadOnlyMany]; or a claim for each pod"
        if pods > 1:
            message = f"{pods} pods mount the claim, of {who}, and with {modes[0]} only those on one node can"
            findings.append(_finding(claim, "error", message, cure, modes))
        elif any(_surges(reader) for reader in readers):
            message = (
                f"a roll of {who} starts the new pod beside the old one, and with {modes[0]} only one node mounts it"
            )
            cure = f"{cure}; or rolloutStrategy: {{maxSurge: 0, maxUnavailable: 1}}"
            findings.append(_finding(claim, "warning", message, cure, modes))
    return findings


def _finding(claim: Manifest, severity: Any, message: str, cure: str, modes: Sequence[str]) -> Finding:
    where = "spec.accessModes"
    return Finding("LOCO-CLAIM", severity, where, message, cure, claim.origin, str(claim.id), list(modes))


def _mounts(workload: Manifest, claim: str) -> bool:
    return any(claim in _claims(template) for _, template in pod_templates(workload.data))


def _claims(template: Mapping[str, Any]) -> Iterator[str]:
    for volume in (template.get("spec") or {}).get("volumes") or []:
        if name := (volume.get("persistentVolumeClaim") or {}).get("claimName"):
            yield name


def _pods(workload: Manifest, claim: str) -> int:
    """How many pods mount it; of an autoscaled workload, as few as there may be."""
    spec = workload.data["spec"]
    replicas = int(spec.get("replicas", 1))
    group = spec.get("leaderWorkerTemplate")
    if group is None:
        return replicas
    size = int(group.get("size", 1))
    mounting = {path[-1] for path, template in pod_templates(workload.data) if claim in _claims(template)}
    if "leaderTemplate" not in group:
        return replicas * size
    return replicas * (("leaderTemplate" in mounting) + (size - 1) * ("workerTemplate" in mounting))


def _surges(workload: Manifest) -> bool:
    """Whether a roll of a Deployment starts pods before others have gone, as it does by default."""
    if workload.id.kind != "Deployment" or int(workload.data["spec"].get("replicas", 1)) == 0:
        return False
    strategy: Mapping[str, Any] = workload.data["spec"].get("strategy") or {}
    surge = (strategy.get("rollingUpdate") or {}).get("maxSurge", "25%")
    return strategy.get("type") != "Recreate" and str(surge).rstrip("%").strip("0") != ""
