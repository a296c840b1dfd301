"""The HTTPRoute: the preset's rules or the user's, bound to the gateways and backends that the service has."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.spec.service import GatewayReference
from loco.spec.tree import at, plain

_GATEWAY_GROUP = "gateway.networking.k8s.io"
_CURE = "platform: {gateway: {name: NAME, namespace: NS}} in the stack config, or router.gateway.refs in the service"
# Without it a service is not reached by the header that names its model; presets set it, a service may take it back.
_BY_MODEL = "serving.kserve.io/model-based-routing-enabled"


def http_route(resolved: Resolved, component: str) -> tuple[Manifest | None, list[Finding]]:
    """The route, or an error where no gateway is known that could take it."""
    tree = at(resolved.tree, ("router", "route", "http", "spec"))
    spec: dict[str, Any] = plain(tree) if tree is not None else {}
    router = resolved.spec.router
    refs = (router.gateway.refs if router and router.gateway else None) or []
    if refs:
        spec["parentRefs"] = [_parent(ref) for ref in refs]
    findings = _bad_parents(spec, bool(refs), resolved)
    if findings:
        return None, findings
    for parent in spec["parentRefs"]:
        if not parent.get("namespace"):
            parent.pop("namespace", None)
    if (resolved.spec.annotations or {}).get(_BY_MODEL) != "true" and "rules" in spec:
        spec["rules"] = [rule for rule in map(_without_model_header, spec["rules"]) if rule is not None]
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


def _parent(ref: GatewayReference) -> dict[str, Any]:
    parent = {
        "group": _GATEWAY_GROUP,
        "kind": "Gateway",
        "name": ref.name,
        "namespace": ref.namespace,
        "sectionName": ref.section_name,
    }
    return {key: value for key, value in parent.items() if value}


def _bad_parents(spec: dict[str, Any], from_refs: bool, resolved: Resolved) -> list[Finding]:
    parents = spec.get("parentRefs") or []
    nameless = [index for index, parent in enumerate(parents) if not parent.get("name")]
    if parents and not nameless:
        return []
    written = at(resolved.tree, ("router", "route", "http", "spec", "parentRefs"))
    if nameless and (from_refs or (written is not None and not written.origin.layer.startswith("preset:"))):
        below = ("gateway", "refs") if from_refs else ("route", "http", "spec", "parentRefs")
        path = f"spec.router.{'.'.join(below)}[{nameless[0]}].name"
        origin = resolved.origin_at("router", *below, nameless[0])
        message = "the reference names no Gateway"
        return [Finding("LOCO-VALUE", "error", path, message, "name: …", origin, resolved.subject)]
    message = "the service has a route, and no gateway to bind it to"
    origin = resolved.origin_at("router", "route")
    return [Finding("LOCO-VALUE", "error", "spec.router.route", message, _CURE, origin, resolved.subject)]


def _without_model_header(rule: dict[str, Any]) -> dict[str, Any] | None:
    """The rule without what matches by the model's header; None where nothing else is left of it."""
    matches = rule.get("matches") or []
    kept = [match for match in matches if not any(map(_is_model_header, match.get("headers") or []))]
    if matches and not kept:
        return None
    return {**rule, "matches": kept} if len(kept) < len(matches) else rule


def _is_model_header(header: dict[str, Any]) -> bool:
    return str(header.get("name", "")).lower() == names.ROUTING_HEADER.lower()


def _to_service(backend: dict[str, Any], resolved: Resolved) -> None:
    """Without an endpoint picker there is no pool; the default pool's backends become the workload Service."""
    own = backend.get("namespace") in (None, resolved.namespace)
    if own and backend.get("kind") == "InferencePool" and backend.get("name") == names.inference_pool(resolved.name):
        backend.pop("group", None)
        backend |= {"kind": "Service", "name": names.workload_service(resolved.name), "port": names.ENGINE_PORT}
