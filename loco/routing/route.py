"""The HTTPRoute: the preset's rules or the user's, bound to the gateways and backends that the service has."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.spec.tree import at, plain

_GATEWAY_GROUP = "gateway.networking.k8s.io"
_POOL_GROUPS = ("inference.networking.k8s.io", "inference.networking.x-k8s.io")


def http_route(resolved: Resolved, component: str) -> tuple[Manifest | None, list[Finding]]:
    """The route, or an error where no gateway is known that could take it."""
    tree = at(resolved.tree, ("router", "route", "http", "spec"))
    spec: dict[str, Any] = plain(tree) if tree is not None else {}
    router = resolved.spec.router
    refs = (router.gateway.refs if router and router.gateway else None) or []
    if refs:
        spec["parentRefs"] = [_parent(ref.name, ref.namespace, ref.section_name) for ref in refs]
    if not spec.get("parentRefs") or any(not parent.get("name") for parent in spec["parentRefs"]):
        message = "the service has a route, and no gateway to bind it to"
        cure = "platform: {gateway: {name: NAME, namespace: NS}} in the stack config, or router.gateway.refs in the service"
        origin = resolved.origin_at("router", "route")
        return None, [Finding("LOCO-VALUE", "error", "spec.router.route", message, cure, origin, resolved.subject)]
    for parent in spec["parentRefs"]:
        if not parent.get("namespace"):
            parent.pop("namespace", None)
    if router is not None and router.scheduler is None:
        for rule in spec.get("rules") or []:
            for backend in rule.get("backendRefs") or []:
                _to_service(backend, resolved)
    data = {
        "apiVersion": f"{_GATEWAY_GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": {
            "name": names.route(resolved.name),
            "namespace": resolved.namespace,
            "labels": names.route_labels(resolved.name),
        },
        "spec": spec,
    }
    return Manifest(data, component, resolved.origin), []


def _parent(name: str | None, namespace: str | None, section: str | None) -> dict[str, Any]:
    parent = {"group": _GATEWAY_GROUP, "kind": "Gateway", "name": name, "namespace": namespace, "sectionName": section}
    return {key: value for key, value in parent.items() if value}


def _to_service(backend: dict[str, Any], resolved: Resolved) -> None:
    """Without an endpoint picker there is no pool; the default pool's backends become the workload Service."""
    if backend.get("kind") == "InferencePool" and backend.get("name") == names.inference_pool(resolved.name):
        del backend["group"]
        backend |= {"kind": "Service", "name": names.workload_service(resolved.name), "port": names.ENGINE_PORT}
