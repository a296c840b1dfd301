"""All manifests that route requests to one service: the only door of this room."""

from loco import names
from loco.layers import Resolved
from loco.model import Edge, Finding, Manifest, ManifestId, Parts
from loco.routing.endpoint_picker import picker_deployment, picker_service
from loco.routing.inference_pool import inference_pool
from loco.routing.picker_rights import picker_rights
from loco.routing.route import http_route
from loco.spec import SERVICE


def build_routing(resolved: Resolved, workload: ManifestId | None, certificate: ManifestId | None) -> Parts:
    """HTTPRoute, InferencePool and the endpoint picker with its Service, account, Role and bindings, as asked for.

    Args:
        resolved: the service.
        workload: its workload Service, which the route's backends name.
        certificate: the Secret that the picker's pods mount, None where they mount none.

    Created in the order account and roles, picker Service, picker, pool, route; deleted the other way round, so that
    a route never points at a pool that is gone.
    """
    parts = Parts()
    router = resolved.spec.router
    if router is None:
        return parts
    component = names.owner(SERVICE, resolved.namespace, resolved.name)
    last: Manifest | None = None
    if router.scheduler is not None:
        rights = picker_rights(resolved, component)
        service = picker_service(resolved, component)
        deployment, findings = picker_deployment(resolved, component)
        pool, of_pool = inference_pool(resolved, component, service.data)
        parts.findings += [*findings, *of_pool]
        parts.manifests += [*rights, service, deployment, pool]
        parts.edges += [Edge(before.id, deployment.id, "its pods act with these rights") for before in rights]
        parts.edges.append(Edge(service.id, pool.id, "the pool refers to the picker's Service"))
        if certificate is not None:
            parts.edges.append(Edge(certificate, deployment.id, "its pods mount the certificate"))
        last = pool
    parts.findings += _without_a_route(resolved)
    if router.route is not None:
        route, findings = http_route(resolved, component)
        parts.findings += findings
        if route is not None:
            parts.manifests.append(route)
            if last is not None:
                parts.edges.append(Edge(last.id, route.id, "the route's backends name the pool"))
            if workload is not None:
                parts.edges.append(Edge(workload, route.id, "the route's backends name the Service"))
    return parts


def _without_a_route(resolved: Resolved) -> list[Finding]:
    """Only a route is bound to gateways."""
    router = resolved.spec.router
    if router is None or router.route is not None or router.gateway is None:
        return []
    message = "without a route nothing is bound to a gateway"
    origin = resolved.origin_at("router", "gateway")
    cure = "router: {route: {}} beside it, or the router without gateway"
    where = "spec.router.gateway"
    return [Finding("LOCO-NO-EFFECT", "warning", where, message, cure, origin, resolved.subject)]
