"""How many pods an object makes, and which devices each of them takes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from loco.cli.report.change import Data
from loco.model import ManifestId
from loco.model.pod_templates import pod_templates
from loco.pods.reading import is_sidecar
from loco.spec.kubernetes.resources import amount, is_accelerator

_SCALERS = {
    "HorizontalPodAutoscaler": ("minReplicas", "maxReplicas"),
    "ScaledObject": ("minReplicaCount", "maxReplicaCount"),
}
_LEAST = {"HorizontalPodAutoscaler": 1, "ScaledObject": 0}
CLAIMED = "claimed devices"
Devices = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Count:
    """A number of pods.

    Attributes:
        number: None where something else scales the object.
        least: then the least that there are; otherwise the number.
        most: None where nobody says.
        known: whether somebody says how few there may be.
    """

    number: int | None
    least: int
    most: int | None = None
    known: bool = True

    def times(self, factor: int) -> "Count":
        """Of groups of so many pods each."""
        return Count(
            None if self.number is None else self.number * factor,
            self.least * factor,
            None if self.most is None else self.most * factor,
            self.known,
        )

    def __str__(self) -> str:
        return str(self.number) if self.number is not None else "(scaled by something else)"


NONE = Count(0, 0)


def makes_pods(data: Data | None) -> bool:
    """Whether the object has pod templates."""
    return data is not None and next(pod_templates(data), None) is not None


def replicas_of(identity: ManifestId, data: Data, objects: Mapping[ManifestId, Data]) -> Count:
    """Replicas: as written, or between the bounds of what scales the object among the others."""
    written = (data.get("spec") or {}).get("replicas")
    if isinstance(written, (int, float)) and not isinstance(written, bool):
        return Count(int(written), int(written))
    for other in objects.values():
        kind, spec = str(other.get("kind")), other.get("spec") or {}
        target = spec.get("scaleTargetRef") or {}
        there = (other.get("metadata") or {}).get("namespace", "") == identity.namespace
        if (
            kind in _SCALERS
            and there
            and (target.get("kind", "Deployment"), target.get("name")) == (identity.kind, identity.name)
        ):
            fewest, most = (spec.get(field) for field in _SCALERS[kind])
            return Count(None, int(_LEAST[kind] if fewest is None else fewest), None if most is None else int(most))
    return Count(None, 1, known=False)  # Kubernetes' own number, until somebody scales it


def group_size(data: Data) -> int:
    """Pods of one replica."""
    group = (data.get("spec") or {}).get("leaderWorkerTemplate")
    return int(group.get("size") or 1) if isinstance(group, Mapping) else 1


def devices_of(data: Data, objects: Mapping[ManifestId, Data]) -> Devices:
    """What one replica takes, by the resource's name, such as ``nvidia.com/gpu``."""
    templates = [template for _, template in pod_templates(data)]
    namespace = str((data.get("metadata") or {}).get("namespace", ""))
    taken: Counter[str] = Counter()
    size = group_size(data)
    for number, template in enumerate(templates):
        pods = (
            1 if number < len(templates) - 1 else size - (len(templates) - 1)
        )  # a leader has one, the others are workers
        for name, many in _of_pod(template.get("spec") or {}, namespace, objects).items():
            taken[name] += many * pods
    return {name: many for name, many in sorted(taken.items()) if many}


def _of_pod(pod: Mapping[str, Any], namespace: str, objects: Mapping[ManifestId, Data]) -> Devices:
    """As the scheduler counts: containers and sidecars together, or an init container alone where that needs more."""
    initial = pod.get("initContainers") or []
    running: Counter[str] = Counter()
    for container in [*(pod.get("containers") or []), *filter(is_sidecar, initial)]:
        running.update(_of_container(container))
    for container in initial:
        if not is_sidecar(container):
            running |= Counter(_of_container(container))
    for claim in pod.get("resourceClaims") or []:
        running.update(_claimed(claim, namespace, objects))
    return running


def _of_container(container: Mapping[str, Any]) -> dict[str, int]:
    resources = container.get("resources") or {}
    wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    return {name: ceil(amount(much)) for name, much in wanted.items() if is_accelerator(name)}


def _claimed(claim: Mapping[str, Any], namespace: str, objects: Mapping[ManifestId, Data]) -> dict[str, int]:
    """Of a claim whose template the stack has, the devices by class; another one counts as one claim."""
    template = next(
        (
            data
            for identity, data in objects.items()
            if identity.kind == "ResourceClaimTemplate"
            and (identity.namespace, identity.name) == (namespace, claim.get("resourceClaimTemplateName"))
        ),
        {},
    )
    requests = (((template.get("spec") or {}).get("spec") or {}).get("devices") or {}).get("requests") or []
    found: Counter[str] = Counter()
    for request in requests:
        exact = request.get("exactly") or request
        found[f"{CLAIMED} of {exact.get('deviceClassName', 'a class')}"] += int(exact.get("count") or 1)
    return found or {CLAIMED: 1}


def surge_of(data: Data, replicas: int) -> int:
    """How many replicas more there are while it rolls."""
    spec = data.get("spec") or {}
    if "leaderWorkerTemplate" in spec:
        update, usual = (spec.get("rolloutStrategy") or {}).get("rollingUpdateConfiguration") or {}, 0
        return _share(update.get("maxSurge", usual), replicas)
    strategy = spec.get("strategy") or {}
    if data.get("kind") != "Deployment" or strategy.get("type") == "Recreate":
        return 0
    return _share((strategy.get("rollingUpdate") or {}).get("maxSurge", "25%"), replicas)


def _share(written: object, replicas: int) -> int:
    text = str(written)
    return ceil(replicas * int(text[:-1]) / 100) if text.endswith("%") else int(float(text))
