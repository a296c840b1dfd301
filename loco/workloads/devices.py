"""Devices that engines claim by dynamic resource allocation, as annotations of the service ask for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.pods.reading import ENGINE, in_annotation
from loco.spec.rules.devices import CLASS, CONTAINER, COUNT, SELECTOR
from loco.spec.tree import Path
from loco.workloads.rollout import gpus_of
from loco.workloads.side import Side

ANNOTATIONS = (CLASS, COUNT, SELECTOR, CONTAINER)

_CLAIM = "managed-device"


@dataclass(frozen=True, slots=True)
class Devices:
    """What each engine pod claims.

    Attributes:
        device_class: a DeviceClass of the cluster.
        count: how many devices.
        selectors: CEL expressions that each device fulfils.
        container: the container that gets them.
    """

    device_class: str
    count: int
    selectors: tuple[str, ...]
    container: str


def claimed_devices(resolved: Resolved) -> Devices | None:
    """What a service's annotations, whose form has been checked before, ask for; None where they name no class."""
    texts = {key: text.strip() for key, text in resolved.annotations.items() if key in ANNOTATIONS}
    if CLASS not in texts:
        return None
    expressions = (line.strip() for line in texts.get(SELECTOR, "").splitlines())
    count, container = int(texts.get(COUNT, 1)), texts.get(CONTAINER, ENGINE)
    return Devices(texts[CLASS], count, tuple(filter(None, expressions)), container)


def device_manifests(resolved: Resolved, component: str) -> list[Manifest]:
    """The ResourceClaimTemplate that the pods' claims are made from; none where nothing is claimed.

    Its spec is immutable, so another one takes its place. Claims of running pods stay as they are.
    """
    devices = claimed_devices(resolved)
    if devices is None:
        return []
    request: dict[str, Any] = {"deviceClassName": devices.device_class}
    if devices.count > 1:
        request["count"] = devices.count
    if devices.selectors:
        request["selectors"] = [{"cel": {"expression": expression}} for expression in devices.selectors]
    data = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": names.device_claims(resolved.name), "namespace": resolved.namespace},
        "spec": {"spec": {"devices": {"requests": [{"name": "device", "exactly": request}]}}},
    }
    return [Manifest(data, component, resolved.origin, replace_on=("spec",))]


def attach_devices(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, side: Side, place: Path
) -> list[Finding]:
    """Makes the pod claim the devices, for the engine or the container that the annotation names."""
    devices = claimed_devices(resolved)
    if devices is None:
        return []
    receiver = next((other for other in pod["containers"] if other.get("name") == devices.container), None)
    if receiver is None:
        known = ", ".join(str(other.get("name")) for other in pod["containers"])
        message = f"no container of {'.'.join(map(str, place))} is called {devices.container}"
        return [in_annotation(resolved, CONTAINER, message, f"one of {known}", value=devices.container)]
    claims = pod.setdefault("resourceClaims", [])
    if all(claim.get("name") != _CLAIM for claim in claims):
        claims.append({"name": _CLAIM, "resourceClaimTemplateName": names.device_claims(resolved.name)})
    claimed = receiver.setdefault("resources", {}).setdefault("claims", [])
    if all(claim.get("name") != _CLAIM for claim in claimed):
        claimed.append({"name": _CLAIM})
    return _too_few(container, receiver, devices, resolved, side)


def _too_few(
    engine: Mapping[str, Any], receiver: Mapping[str, Any], devices: Devices, resolved: Resolved, side: Side
) -> list[Finding]:
    """An error where the engine spans more devices than it claims: it would wait for them for ever."""
    parallelism = side.workload.parallelism
    ranks = (parallelism.data_local or 1) if parallelism and side.multi_node else 1
    wanted = ranks * ((parallelism.tensor or 1) if parallelism else 1)
    if receiver is not engine or wanted <= devices.count or gpus_of({"containers": [engine]}):
        return []
    message = f"the engine spreads over {wanted} devices, and claims {devices.count}"
    return [in_annotation(resolved, COUNT, message, f'{COUNT}: "{wanted}"', value=resolved.annotations.get(COUNT))]
