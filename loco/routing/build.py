"""All manifests that route requests to one service: the only door of this room."""

import itertools
from collections.abc import Sequence

from loco import names
from loco.layers import Resolved
from loco.model import Edge, Finding, Manifest, ManifestId, Parts
from loco.pods.pool import has_own_pool
from loco.routing.endpoint_picker import picker_deployment, picker_service
from loco.routing.inference_pool import inference_pool
from loco.routing.picker_rights import picker_rights
from loco.routing.route import http_routes, is_routed
from loco.routing.tokenizer import has_tokenizer, tokenizer_deployment, tokenizer_service, unasked_tokenizer
from loco.routing.traffic_group import backends_of, members_of
from loco.spec import SERVICE, Platform


def build_routing(
    resolved: Resolved,
    workload: ManifestId | None,
    certificate: ManifestId | None,
    platform: Platform,
    running: Sequence[Resolved] = (),
) -> Parts:
    """HTTPRoutes, InferencePool and the endpoint picker with its Service, tokenizer and rights, as asked for.

    Args:
        resolved: the service.
        workload: its workload Service, which the route's backends name.
        certificate: the Secret that the picker's pods mount, None where they mount none.
        platform: what is known of Gateways, and how requests are to be routed.
        running: all services of the stack that aren't stopped, among which those of its traffic group are.

    Created in the order account and roles, picker Service, picker, pool, route; deleted the other way round, so that
    a route never points at a pool that is gone.
    """
    parts = Parts()
    router = resolved.spec.router
    if router is None:
        return parts
    component = names.owner(SERVICE, resolved.namespace, resolved.name)
    last: Manifest | None = None
    if has_own_pool(resolved):
        last = _scheduler(resolved, component, certificate, parts)
    parts.findings += _without_a_route(resolved)
    if is_routed(resolved):
        members = members_of(resolved, running)
        routes, findings = http_routes(resolved, component, platform, members)
        parts.findings += findings
        parts.manifests += routes
        # Adapters move to a route of a higher number, if at all, which must have them before the lower one lets go.
        parts.edges += [
            Edge(higher.id, lower.id, "it may take over adapters") for higher, lower in itertools.pairwise(routes)
        ]
        for route in routes:
            if last is not None:
                parts.edges.append(Edge(last.id, route.id, "the route's backends name the pool"))
            if workload is not None:
                parts.edges.append(Edge(workload, route.id, "the route's backends name the Service"))
            parts.edges += [
                Edge(backend, route.id, "the route shares requests with its group")
                for member in members
                if member is not resolved
                for backend in backends_of(member)
            ]
    return parts


def _scheduler(resolved: Resolved, component: str, certificate: ManifestId | None, parts: Parts) -> Manifest:
    """The picker with all that it needs, and the pool, which is returned."""
    rights = picker_rights(resolved, component)
    service = picker_service(resolved, component)
    deployment, findings = picker_deployment(resolved, component)
    pool, of_pool = inference_pool(resolved, component, service.data)
    parts.findings += [*findings, *of_pool]
    mounting = [deployment]
    if has_tokenizer(resolved):
        tokenizer, of_tokenizer = tokenizer_deployment(resolved, component)
        tokens = tokenizer_service(resolved, component)
        parts.findings += [*of_tokenizer, *unasked_tokenizer(deployment, resolved)]
        parts.manifests += [tokens, tokenizer]
        # A picker that starts before it can ask for tokens crashes; its Service's name must resolve by then.
        parts.edges.append(Edge(tokens.id, deployment.id, "the picker asks it for tokens"))
        mounting.append(tokenizer)
    parts.manifests += [*rights, service, deployment, pool]
    parts.edges += [Edge(before.id, deployment.id, "its pods act with these rights") for before in rights]
    parts.edges.append(Edge(service.id, pool.id, "the pool refers to the picker's Service"))
    if certificate is not None:
        parts.edges += [Edge(certificate, pods.id, "its pods mount the certificate") for pods in mounting]
    return pool


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
