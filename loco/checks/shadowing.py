"""Services that answer to the same requests: only one of them is reached."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.routing import members_of, served

_CALLS = "/v1"


def check_shadowing(running: Sequence[Resolved], manifests: Sequence[Manifest] = ()) -> list[Finding]:
    """``LOCO-SHADOWED``: two routed services share a name or a match of their routes, outside of a traffic group.

    Args:
        running: the services that aren't stopped.
        manifests: the plan's, whose HTTPRoutes are looked at.
    """
    routed = [service for service in running if service.spec.router and service.spec.router.route]
    routed.sort(key=lambda service: (service.namespace, service.name))
    by_name = [*_of_one_name(routed, running), *_below_another(routed)]
    told = {frozenset(pair) for pair, _ in by_name}
    return [finding for _, finding in by_name] + list(_of_one_match(routed, running, manifests, told))


def _of_one_name(routed: Sequence[Resolved], running: Sequence[Resolved]) -> Iterator[tuple[tuple[str, str], Finding]]:
    """Those of one namespace that serve one name, be it a model's or an adapter's."""
    answering: dict[tuple[str, str], list[Resolved]] = defaultdict(list)
    for service in routed:
        for name in sorted(served(service)):
            answering[service.namespace, name].append(service)
    for (_, name), (first, *others) in answering.items():
        for other in others:
            if other in members_of(first, running):
                continue
            message = f"{first.name} serves {name} too; by publisher path and header only one of the two is reached"
            yield (first.subject, other.subject), _finding(other, message, name)


def _below_another(routed: Sequence[Resolved]) -> Iterator[tuple[tuple[str, str], Finding]]:
    """A model whose name continues another's like a path of its API: some of that path's requests go astray."""
    names = {(service.namespace, service.model_name): service for service in routed}
    for (namespace, name), service in names.items():
        parts = name.split("/")
        for length in range(1, len(parts)):
            shorter = names.get((namespace, "/".join(parts[:length])))
            if shorter is not None and f"/{parts[length]}" == _CALLS:
                message = f"its publisher path lies where {shorter.name} has its API, which loses requests to it"
                yield (shorter.subject, service.subject), _finding(service, message, name)


def _of_one_match(
    routed: Sequence[Resolved],
    running: Sequence[Resolved],
    manifests: Sequence[Manifest],
    told: set[frozenset[str]],
) -> Iterator[Finding]:
    """Those whose routes have one match on one Gateway, such as rules of the user's own; once for each pair."""
    services = {service.subject: service for service in routed}
    first_with: dict[str, str] = {}
    for manifest in manifests:
        if manifest.id.kind != "HTTPRoute" or manifest.component not in services:
            continue
        for key, shown in _matches(manifest):
            owner = first_with.setdefault(key, manifest.component)
            pair = frozenset((owner, manifest.component))
            if len(pair) < 2 or pair in told:
                continue
            told.add(pair)
            first, other = services[owner], services[manifest.component]
            if other in members_of(first, running):
                continue
            message = (
                f"{first.name} in {first.namespace} has a route with this match too; only one of the two is reached"
            )
            origin = other.origin_at("router", "route", "http", "spec", "rules")
            cure, where = "another path or header in one of the two", "spec.router.route.http.spec.rules"
            yield Finding("LOCO-SHADOWED", "warning", where, message, cure, origin, other.subject, shown)


def _matches(route: Manifest) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each match as a text that says on which Gateway and host it takes what, and as it is written."""
    spec = route.data["spec"]
    parents = {(p.get("namespace") or route.namespace, p.get("name")) for p in spec.get("parentRefs") or []}
    for rule in spec.get("rules") or []:
        for match in rule.get("matches") or [{}]:
            for parent in sorted(parents, key=str):
                for host in spec.get("hostnames") or [None]:
                    yield json.dumps([parent, host, _normal(match)], sort_keys=True, default=str), match


def _normal(match: Mapping[str, Any]) -> dict[str, Any]:
    """A match with the API's defaults, in one spelling."""
    path = match.get("path")
    path = dict(path) if isinstance(path, Mapping) else {}
    kind, value = path.get("type") or "PathPrefix", str(path.get("value") or "/")
    if kind == "PathPrefix":
        value = value.rstrip("/")
    headers = sorted(
        (str(header.get("name")).lower(), header.get("type") or "Exact", str(header.get("value")))
        for header in match.get("headers") or []
    )
    rest = {key: match[key] for key in ("method", "queryParams") if key in match}
    return {"path": (kind, value), "headers": headers, **rest}


def _finding(service: Resolved, message: str, name: str) -> Finding:
    cure = "another model.name, or one router.route.group for both"
    origin = service.origin_at("model", "name")
    return Finding("LOCO-SHADOWED", "warning", "spec.model.name", message, cure, origin, service.subject, name)
