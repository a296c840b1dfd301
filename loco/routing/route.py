"""The HTTPRoute: the preset's rules or the user's, bound to the gateways and backends that the service has."""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.pods.pool import pool_name
from loco.pods.serving import serving_service
from loco.routing.traffic_group import share
from loco.spec.service import GatewayReference
from loco.spec.tree import at, plain

_GATEWAY_GROUP = "gateway.networking.k8s.io"
_CURE = "platform: {gateway: {name: NAME, namespace: NS}} in the stack config, or router.gateway.refs in the service"
# Without it a service is not reached by the header that names its model; presets set it, a service may take it back.
_BY_MODEL = "serving.kserve.io/model-based-routing-enabled"


def http_route(
    resolved: Resolved, component: str, members: Sequence[Resolved] = ()
) -> tuple[Manifest | None, list[Finding]]:
    """The route, or an error where no gateway is known that could take it.

    ``members`` are the running services of its traffic group, itself among them.
    """
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
    if (resolved.spec.annotations or {}).get(_BY_MODEL) == "true":
        for rule in spec.get("rules") or []:
            _add_adapters(rule, resolved)
    elif "rules" in spec:
        spec["rules"] = [rule for rule in map(_without_model_header, spec["rules"]) if rule is not None]
    for rule in spec.get("rules") or []:
        for backend in rule.get("backendRefs") or []:
            if _is_default_pool(backend, resolved):
                _to_what_there_is(backend, resolved)
            elif _is_workload_service(backend, resolved):
                backend["name"] = serving_service(resolved)
    findings = share(spec, resolved, members) if members else []
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
    return Manifest(data, component, resolved.origin), findings


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


def _add_adapters(rule: dict[str, Any], resolved: Resolved) -> None:
    """What matches by the model's header matches by each adapter's too."""
    model = resolved.spec.model
    adapters = (model.lora.adapters if model is not None and model.lora is not None else None) or []
    matches = rule.get("matches") or []
    copies = []
    for match in matches:
        for name in sorted(adapter.name for adapter in adapters if adapter.name):
            if any(map(_is_model_header, match.get("headers") or [])):
                copies.append({**match, "headers": [_naming(name, header, resolved) for header in match["headers"]]})
    if copies:
        rule["matches"] = [*matches, *copies]


def _naming(adapter: str, header: dict[str, Any], resolved: Resolved) -> dict[str, Any]:
    if not _is_model_header(header):
        return dict(header)
    return {**header, "value": names.publisher_name(resolved.namespace, adapter)}


def _without_model_header(rule: dict[str, Any]) -> dict[str, Any] | None:
    """The rule without what matches by the model's header; None where nothing else is left of it."""
    matches = rule.get("matches") or []
    kept = [match for match in matches if not any(map(_is_model_header, match.get("headers") or []))]
    if matches and not kept:
        return None
    return {**rule, "matches": kept} if len(kept) < len(matches) else rule


def _is_model_header(header: dict[str, Any]) -> bool:
    return str(header.get("name", "")).lower() == names.ROUTING_HEADER.lower()


def _is_default_pool(backend: dict[str, Any], resolved: Resolved) -> bool:
    own = backend.get("namespace") in (None, resolved.namespace)
    return own and backend.get("kind") == "InferencePool" and backend.get("name") == names.inference_pool(resolved.name)


def _is_workload_service(backend: dict[str, Any], resolved: Resolved) -> bool:
    own = backend.get("namespace") in (None, resolved.namespace)
    workload = names.workload_service(resolved.name)
    return own and backend.get("kind", "Service") == "Service" and backend.get("name") == workload


def _to_what_there_is(backend: dict[str, Any], resolved: Resolved) -> None:
    """Of a backend that names the default pool: without a scheduler the service's own Service, else the pool in use."""
    router = resolved.spec.router
    if router is None or router.scheduler is None:
        backend.pop("group", None)
        backend |= {"kind": "Service", "name": serving_service(resolved), "port": names.ENGINE_PORT}
    else:
        backend["name"] = pool_name(resolved)
