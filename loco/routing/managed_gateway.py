"""Gateways that the stack makes itself, and whether they take the stack's routes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loco.model import Edge, Finding, Manifest, Origin, Parts
from loco.routing.gateway_facts import is_gateway, known_gateways
from loco.spec import GATEWAY, Platform
from loco.spec.platform_gateway import KnownGateway, Listener, ManagedGateway, covers

_API = "gateway.networking.k8s.io/v1"
_NAME_OF_NAMESPACE = "kubernetes.io/metadata.name"  # Kubernetes itself puts this label on every Namespace


def managed_gateways(platform: Platform, routes: Sequence[Manifest], origin: Origin) -> Parts:
    """The Gateways, each before the routes that are bound to it; errors where a route would not be taken.

    Args:
        routes: all HTTPRoutes of the plan.
        origin: the stack config.
    """
    parts = Parts()
    for where, fact in known_gateways(platform):
        if fact.create is None:
            continue
        bound = list(_bound(fact, routes))
        made = _gateway(fact, fact.create, {route.namespace for route, _ in bound}, origin)
        parts.manifests.append(made)
        parts.edges += [Edge(made.id, id, "the route is bound to it") for id in dict.fromkeys(r.id for r, _ in bound)]
        for route, parent in bound:
            parts.findings += _not_taken(where, fact, fact.create, route, parent, origin)
    return parts


def _bound(fact: KnownGateway, routes: Iterable[Manifest]) -> Iterator[tuple[Manifest, Mapping[str, Any]]]:
    for route in routes:
        for parent in route.data["spec"].get("parentRefs") or []:
            if is_gateway(parent, route.namespace, fact):
                yield route, parent


def _gateway(fact: KnownGateway, create: ManagedGateway, namespaces: set[str], origin: Origin) -> Manifest:
    metadata: dict[str, Any] = {"name": fact.name, "namespace": fact.namespace}
    if create.labels:
        metadata["labels"] = dict(create.labels)
    if create.annotations:
        metadata["annotations"] = dict(create.annotations)
    allowed = {"namespaces": _allowed(create, fact.namespace or "", namespaces)}
    spec = {
        "gatewayClassName": create.class_name,
        "listeners": [{**_listener(listener), "allowedRoutes": allowed} for listener in create.listeners],
    }
    return Manifest({"apiVersion": _API, "kind": "Gateway", "metadata": metadata, "spec": spec}, None, origin)


def _listener(listener: Listener) -> dict[str, Any]:
    data: dict[str, Any] = {"name": listener.name, "port": listener.port, "protocol": listener.scheme.upper()}
    if listener.hostname is not None:
        data["hostname"] = listener.hostname
    if listener.certificate is not None:
        reference = {"group": "", "kind": "Secret", "name": listener.certificate.name}
        if listener.certificate.namespace is not None:
            reference["namespace"] = listener.certificate.namespace
        data["tls"] = {"mode": "Terminate", "certificateRefs": [reference]}
    return data


def _allowed(create: ManagedGateway, own: str, namespaces: set[str]) -> dict[str, Any]:
    """The narrowest that takes the routes there are, where nobody says who may come."""
    if create.allowed_routes == "All":
        return {"from": "All"}
    taken = sorted(namespaces if create.allowed_routes is None else set(create.allowed_routes))
    if not taken or taken == [own]:
        return {"from": "Same"}
    expression = {"key": _NAME_OF_NAMESPACE, "operator": "In", "values": taken}
    return {"from": "Selector", "selector": {"matchExpressions": [expression]}}


def _not_taken(
    where: str, fact: KnownGateway, create: ManagedGateway, route: Manifest, parent: Mapping[str, Any], origin: Origin
) -> Iterator[Finding]:
    allowed = create.allowed_routes
    if isinstance(allowed, list) and route.namespace not in allowed:
        message = (
            f"the Gateway {fact.name} takes no routes of the namespace {route.namespace}, which has one bound to it"
        )
        cure = f"{route.namespace} in the list too, or no list: then it takes those that the stack has"
        yield Finding("LOCO-VALUE", "error", f"{where}.create.allowedRoutes", message, cure, origin, None, allowed)
    section, names = parent.get("sectionName"), [listener.name for listener in create.listeners]
    own = (route.component or "").startswith(f"{GATEWAY}/")  # a LiteLLM gateway, which says so at its own field
    if section is not None and section not in names:
        message = f"the Gateway {fact.name} has no listener called {section}"
        cure, path = f"one of {', '.join(names)}", "spec.router.gateway.refs"
        if not own:
            yield Finding("LOCO-REFERENCE", "error", path, message, cure, route.origin, route.component, section)
    elif hosts := _strange_hosts(create, route, parent):
        message = f"no listener of the Gateway {fact.name} takes the hostname {', '.join(hosts)}"
        known = ", ".join(sorted({listener.hostname for listener in _meant(create, parent) if listener.hostname}))
        cure = f"one that {known} covers, or a listener with this hostname or without any"
        path = "spec.expose.hostnames" if own else "spec.router.route.http.spec.hostnames"
        yield Finding("LOCO-REFERENCE", "error", path, message, cure, route.origin, route.component, hosts)


def _strange_hosts(create: ManagedGateway, route: Manifest, parent: Mapping[str, Any]) -> list[str]:
    """Hostnames of the route that have nothing in common with a listener's.

    A route with several parents may have names for each, so there it counts only that none is taken.
    """
    listeners = _meant(create, parent)
    hosts = [str(host) for host in route.data["spec"].get("hostnames") or []]
    strange = [host for host in hosts if not any(_meet(listener.hostname, host) for listener in listeners)]
    if not listeners:  # of which the reference itself is to blame
        return []
    return strange if len(route.data["spec"]["parentRefs"]) == 1 or len(strange) == len(hosts) else []


def _meant(create: ManagedGateway, parent: Mapping[str, Any]) -> list[Listener]:
    return [
        listener
        for listener in create.listeners
        if parent.get("sectionName") in (None, listener.name) and parent.get("port") in (None, listener.port)
    ]


def _meet(listener: str | None, host: str) -> bool:
    return listener is None or covers(listener, host) or covers(host, listener)
