"""Whether the Gateways that routes name are there, belong to a controller, and admit the routes."""

from collections.abc import Iterable, Sequence

from loco.cli.cluster import cures
from loco.cli.cluster.need import GATEWAY_GROUP, Need, Parent, Thing
from loco.cli.cluster.reader import Absent, Found, Reader, Unreadable
from loco.cli.cluster.report import Report
from loco.cli.cluster.shapes import Data, mapping, rows, text

# Which routes a listener takes that doesn't say so itself; of other protocols only its controller knows.
_ROUTES = {
    "HTTP": ("HTTPRoute", "GRPCRoute"),
    "HTTPS": ("HTTPRoute", "GRPCRoute"),
    "TLS": ("TLSRoute",),
    "TCP": ("TCPRoute",),
    "UDP": ("UDPRoute",),
}


def check_gateways(parents: Iterable[tuple[Parent, list[Need]]], cluster: Reader, report: Report) -> None:
    """One finding for a Gateway that isn't there, else one for each route that it would not take."""
    by_gateway: dict[Thing, list[tuple[Parent, list[Need]]]] = {}
    for parent, needs in parents:
        gateway = Thing(GATEWAY_GROUP, "Gateway", parent.namespace, parent.name)
        by_gateway.setdefault(gateway, []).append((parent, needs))
    for gateway, routes in by_gateway.items():
        all_needs = [need for _, needs in routes for need in needs]
        found = cluster.get(gateway)
        if isinstance(found, Unreadable):
            report.unread(all_needs[0], "Gateway", gateway.namespace, gateway.name, found.why)
        elif isinstance(found, Absent):
            unknown = "" if found.served else ", nor the kind Gateway"
            cure = "platform: {gateway: {name: NAME, namespace: NS}} or router.gateway.refs, one of kubectl get gateways -A"
            report.missing(all_needs, f"there is no {gateway}{unknown}", cure)
        else:
            if not found.planned:
                _check_state(gateway, found.data, all_needs, cluster, report)
            for parent, needs in routes:
                _check_listeners(gateway, found.data, parent, needs, cluster, report)


def _check_state(gateway: Thing, data: Data, needs: Sequence[Need], cluster: Reader, report: Report) -> None:
    """Its class, and whether its controller has refused it. No answer from the controller yet is no refusal."""
    for condition in ("Accepted", "Programmed"):
        state, why = _condition(data, condition)
        if state == "False":
            report.gateway(needs, f"{gateway} is not {condition}{why}", "a Gateway that works", warning=True)
            break
    name = text(mapping(data.get("spec")).get("gatewayClassName"))
    if name is None:
        return
    thing = Thing(GATEWAY_GROUP, "GatewayClass", "", name)
    found = cluster.get(thing)
    if isinstance(found, Unreadable):
        report.unread(needs[0], "GatewayClass", "", name, found.why)
    elif isinstance(found, Absent):
        report.missing(needs, f"there is no {thing}, which {gateway} names", cures.for_object(thing))
    elif not found.planned:
        state, why = _condition(found.data, "Accepted")
        if state != "True":
            controller = mapping(found.data.get("spec")).get("controllerName")
            message = f"{thing}, which {gateway} names, isn't accepted by its controller {controller}{why}"
            report.gateway(needs, message, "a running controller, or a Gateway of a class that has one")


def _check_listeners(
    gateway: Thing, data: Data, parent: Parent, needs: Sequence[Need], cluster: Reader, report: Report
) -> None:
    listeners = [listener for _, listener in rows(mapping(data.get("spec")).get("listeners"))]
    fitting = [
        listener
        for listener in listeners
        if parent.section in (None, listener.get("name")) and parent.port in (None, listener.get("port"))
    ]
    if not fitting:
        asked = " and ".join(
            part
            for part in (parent.section and f"called {parent.section}", parent.port and f"on port {parent.port}")
            if part
        )
        has = ", ".join(f"{listener.get('name')} on {listener.get('port')}" for listener in listeners) or "none"
        message = f"{gateway} has no listener{f' {asked}' if asked else ''}; it has {has}"
        report.missing(needs, message, "sectionName and port of a listener that it has, or neither")
        return
    reasons = []
    for listener in fitting:
        reason = _refusal(listener, parent, cluster)
        if reason is None:
            return
        reasons.append((listener, reason))
    unread = next((reason for _, reason in reasons if isinstance(reason, Unreadable)), None)
    if unread is not None:  # that listener may well admit it
        report.unread(needs[0], "Namespace", "", parent.route_namespace, unread.why)
        return
    told = "; ".join(f"listener {listener.get('name')}: {reason}" for listener, reason in reasons)
    message = f"{gateway} doesn't admit the {parent.route_kind} of {parent.route_namespace}: {told}"
    cure = "a Gateway that does; or let its owner widen allowedRoutes of a listener"
    report.gateway(needs, message, cure)


def _refusal(listener: Data, parent: Parent, cluster: Reader) -> str | Unreadable | None:
    """Why a listener would not take the route, None if it would."""
    allowed = mapping(listener.get("allowedRoutes"))
    protocol = str(listener.get("protocol"))
    kinds = [str(kind.get("kind")) for _, kind in rows(allowed.get("kinds"))]
    kinds = kinds or list(_ROUTES.get(protocol, (parent.route_kind,)))
    if parent.route_kind not in kinds:
        return f"takes {', '.join(kinds)} only"
    hostname = text(listener.get("hostname"))
    if hostname and parent.hostnames and not any(_meet(hostname, host) for host in parent.hostnames):
        return f"serves {hostname} only, and not {', '.join(parent.hostnames)}"
    namespaces = mapping(allowed.get("namespaces"))
    source = namespaces.get("from", "Same")
    if source == "All" or (source == "Same" and parent.namespace == parent.route_namespace):
        return None
    if source == "Same":
        return f"admits routes of its own namespace {parent.namespace} only"
    if source != "Selector":
        return f"admits routes of no namespace (from: {source})"
    found = cluster.get(Thing("", "Namespace", "", parent.route_namespace))
    if isinstance(found, Unreadable):
        return found
    labels = dict(mapping(mapping(found.data.get("metadata")).get("labels"))) if isinstance(found, Found) else {}
    labels["kubernetes.io/metadata.name"] = parent.route_namespace
    if _selects(mapping(namespaces.get("selector")), labels):
        return None
    return f"admits namespaces by labels that {parent.route_namespace} doesn't have"


def _selects(selector: Data, labels: Data) -> bool:
    if any(labels.get(key) != value for key, value in mapping(selector.get("matchLabels")).items()):
        return False
    for _, rule in rows(selector.get("matchExpressions")):
        key, values = str(rule.get("key")), rule.get("values") or []
        holds = {
            "In": key in labels and labels[key] in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }
        if not holds.get(str(rule.get("operator")), False):
            return False
    return True


def _meet(one: str, other: str) -> bool:
    """Whether two hostnames, each perhaps with a wildcard in front, have a host in common."""
    return one == other or any(
        wild.startswith("*.") and host.endswith(wild[1:]) for wild, host in ((one, other), (other, one))
    )


def _condition(data: Data, kind: str) -> tuple[str, str]:
    """The state of a condition, and what its controller says of it."""
    for _, condition in rows(mapping(data.get("status")).get("conditions")):
        if condition.get("type") == kind:
            told = condition.get("message") or condition.get("reason")
            return str(condition.get("status")), f": {told}" if told else ""
    return "Unknown", ""
