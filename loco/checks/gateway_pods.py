"""What users add to the pods of LiteLLM gateways, by the rules of every other pod."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from loco.gateway import Gateway
from loco.gateway.additions import hardened
from loco.model import Finding
from loco.pods.field_rules import refused_fields
from loco.pods.restricted import weaknesses
from loco.pods.rules import refusals
from loco.spec.litellm_gateway import Placement
from loco.spec.tree import Path, at, plain

_ADDED = ("containers", "initContainers", "volumes")
_BEHAVIOR = "HorizontalPodAutoscalerBehavior"


def check_gateway_pods(gateways: Iterable[Gateway]) -> list[Finding]:
    """``LOCO-VALUE`` for what an API server would refuse although its fields and types are right.

    ``LOCO-WEAK-SECURITY``, a warning, for what the restricted pod security standard refuses.
    """
    return [finding for gateway in gateways for finding in _of(gateway)]


def _of(gateway: Gateway) -> Iterator[Finding]:
    spec = gateway.spec
    pod = _pod(gateway)
    for path, message, cure in refusals(pod):
        if (place := _place(path)) is not None:
            yield _finding(gateway, place, message, cure)
    for path, does in weaknesses(pod):
        if (place := _place(path)) is not None:
            message = f"the pod {does}, which restricted pod security refuses"
            cure = "the pod without it, or a namespace that doesn't enforce restricted"
            yield _finding(gateway, place, message, cure, "LOCO-WEAK-SECURITY", "warning")
    if spec.database is not None and (resources := spec.database.migration.resources) is not None:
        for path, message, cure in refusals({"containers": [{"image": "migrate", "resources": resources}]}):
            yield _finding(gateway, ("database", "migration", *path[2:]), message, cure)
    if spec.autoscaling is not None and spec.autoscaling.behavior is not None:
        for path, message, cure in refused_fields(spec.autoscaling.behavior, _BEHAVIOR):
            yield _finding(gateway, ("autoscaling", "behavior", *path), message, cure)


def _pod(gateway: Gateway) -> dict[str, Any]:
    """The user's share of the pod: LiteLLM's container first, with what is written of it, then the others."""
    placement = gateway.spec.placement or Placement()
    pod: dict[str, Any] = {
        "tolerations": placement.tolerations or [],
        "affinity": placement.affinity or {},
        "topologySpreadConstraints": placement.topology_spread_constraints or [],
    }
    litellm: dict[str, Any] = {"name": "litellm", "image": "litellm", "resources": placement.resources or {}}
    more = gateway.spec.pod
    if more is None:
        return {**pod, "containers": [hardened(litellm)]}
    litellm["volumeMounts"] = more.volume_mounts or []
    containers = [litellm, *(more.containers or [])]
    initial = more.init_containers or []
    mounted = [{"name": each.get("name")} for one in (*initial, *containers) for each in one.get("volumeMounts") or []]
    return {
        **pod,
        "containers": [hardened(each) for each in containers],
        "initContainers": [hardened(each) for each in initial],
        "volumes": [*(more.volumes or []), *mounted],  # of a mount without its volume the gateway's own rules tell
    }


def _place(path: Path) -> Path | None:
    """Where in the spec a part of that pod stands; None for what isn't the user's."""
    match path:
        case ("containers", 0, "volumeMounts", *rest):
            return ("pod", "volumeMounts", *rest)
        case ("containers", 0, "resources", *rest):
            return ("placement", "resources", *rest)
        case ("containers", 0, *_):
            return None
        case ("containers", int(index), *rest):
            return ("pod", "containers", index - 1, *rest)
        case (field, *_) if field in _ADDED:
            return ("pod", *path)
    return ("placement", *path)


def _finding(
    gateway: Gateway,
    path: Path,
    message: str,
    cure: str,
    code: str = "LOCO-VALUE",
    severity: Literal["error", "warning"] = "error",
) -> Finding:
    node = at(gateway.tree, path)
    return gateway.finding(path, message, cure, None if node is None else plain(node), code=code, severity=severity)
