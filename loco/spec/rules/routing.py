"""Routes, gateways and groups: who owns the route, and what the Gateway API takes of it."""

from collections.abc import Iterator
from typing import Any

from loco.model import Finding
from loco.spec.rules.judged import Judged
from loco.spec.service import Router
from loco.spec.tree import Path, Row, plain

_MOST_RULES, _MOST_MATCHES, _MOST_IN_ALL = 16, 64, 128
_MOST_OF = {"hostnames": 16, "parentRefs": 32}  # of a route
_MOST_OF_A_RULE = {"backendRefs": 16, "filters": 16}
_ROUTE: Path = ("spec", "router", "route")
_HTTP: Path = (*_ROUTE, "http")


def routing(judged: Judged) -> Iterator[Finding]:
    """Of the router without its scheduler."""
    router = judged.spec.router
    if router is None:
        return
    if router.ingress is not None:
        message = "nothing is made of an ingress, here or in the reference"
        cure = "route: {} with gateway: {refs: [{name: …, namespace: …}]}"
        yield judged.finding(("spec", "router", "ingress"), message, cure, code="LOCO-UNSUPPORTED")
    yield from _names(judged, router)
    yield from _owners(judged, router)
    yield from _group(judged, router)
    for field, most in _MOST_OF.items():
        yield from _too_many(judged, (*_HTTP, "spec", field), most)
    yield from _too_many(judged, ("spec", "router", "gateway", "refs"), _MOST_OF["parentRefs"])
    if judged.by_user("router", "route", "http", "spec", "rules"):
        yield from _rules(judged)


def _names(judged: Judged, router: Router) -> Iterator[Finding]:
    http = router.route.http if router.route else None
    for index, ref in enumerate((http.refs if http else None) or []):
        if not ref.name:
            yield judged.finding((*_HTTP, "refs", index, "name"), "the reference names no HTTPRoute", "name: …")
    for index, gateway in enumerate((router.gateway.refs if router.gateway else None) or []):
        if not gateway.name:
            where: Path = ("spec", "router", "gateway", "refs", index, "name")
            yield judged.finding(where, "the reference names no Gateway", "name: …")


def _owners(judged: Judged, router: Router) -> Iterator[Finding]:
    http = router.route.http if router.route else None
    if http is None:
        return
    gateways = (router.gateway.refs if router.gateway else None) or []
    if http.refs:
        if judged.by_user("router", "route", "http", "spec"):
            message = "refs name routes of your own, and spec describes one that is made: both at once can't be"
            yield judged.finding(_HTTP, message, "refs, or spec", fault=(*_HTTP, "refs"))
        if router.gateway is not None and not gateways:
            message = "routes of your own name their gateways themselves; a default gateway is for managed routes"
            yield judged.finding(
                (*_HTTP, "refs"), message, "the router without gateway, or gateway: {refs: [{name: …}]}"
            )
    written = ("router", "route", "http", "spec", "parentRefs")
    node = judged.at(*written)
    if node is None or not gateways or not judged.by_user(*written):
        return
    parents = {_key(parent) for parent in plain(node) if isinstance(parent, dict)}
    if not parents:
        return
    chosen = {(ref.namespace or "", ref.name or "", ref.section_name or "") for ref in gateways}
    place: Path = (*_HTTP, "spec", "parentRefs")
    if parents == chosen:
        message = "parentRefs says once more what gateway.refs says"
        yield judged.finding(place, message, "one of the two", code="LOCO-NO-EFFECT", severity="warning")
    else:
        message = "parentRefs and gateway.refs bind the route to different gateways"
        yield judged.finding((*_HTTP, "spec"), message, "one of the two", fault=place)


def _group(judged: Judged, router: Router) -> Iterator[Finding]:
    route = router.route
    if route is None or (route.group is None and route.weight is None):
        return
    group: Path = (*_ROUTE, "group")
    if router.ingress is not None:
        yield judged.finding(
            group, "a traffic group shares a route, and an ingress has none", "the router without ingress"
        )
        return
    if route.weight is None:
        message = f"nothing says how much of the traffic of {route.group} this service takes"
        yield judged.finding((*_ROUTE, "weight"), message, "weight: 1", fault=group)
    elif route.group is None:
        weight: Path = (*_ROUTE, "weight")
        yield judged.finding(
            group, "a weight is one among those of a group, and there is none", "group: …", fault=weight
        )
    if route.group is not None and route.http is not None and route.http.refs:
        message = "a group shares a managed route, and refs name routes of your own"
        yield judged.finding(group, message, "the route without group and weight, or without refs")


def _rules(judged: Judged) -> Iterator[Finding]:
    """Bounds of the Gateway API, which an API server would only name one at a time."""
    where: Path = (*_HTTP, "spec", "rules")
    node = judged.at(*where[1:])
    rules: list[dict[str, Any]] = [rule for rule in plain(node) if isinstance(rule, dict)] if node is not None else []
    if len(rules) > _MOST_RULES:
        message = f"a route has at most {_MOST_RULES} rules, and this one has {len(rules)}"
        yield judged.finding(where, message, "fewer rules with several matches each, or refs to routes of your own")
    in_all = 0
    for index, rule in enumerate(rules):
        matches = rule.get("matches") or [{}]
        in_all += len(matches)
        if len(matches) > _MOST_MATCHES:
            message = f"a rule has at most {_MOST_MATCHES} matches, and this one has {len(matches)}"
            yield judged.finding((*where, index, "matches"), message, "several rules")
        for field, most in _MOST_OF_A_RULE.items():
            yield from _too_many(judged, (*where, index, field), most)
        filters = rule.get("filters")
        if any(map(_replaces_prefix, filters if isinstance(filters, list) else ())) and not _is_one_prefix(matches):
            message = "a rewrite with ReplacePrefixMatch needs a rule with exactly one match, of the type PathPrefix"
            yield judged.finding((*where, index, "matches"), message, "a rule for each match")
    if in_all > _MOST_IN_ALL:
        message = f"a route has at most {_MOST_IN_ALL} matches in all its rules, and this one has {in_all}"
        yield judged.finding(where, message, "fewer matches, or refs to routes of your own")


def _too_many(judged: Judged, where: Path, most: int) -> Iterator[Finding]:
    node = judged.at(*where[1:])
    if isinstance(node, Row) and len(node.items) > most:
        message = f"a route has at most {most} {where[-1]} in this place, and here are {len(node.items)}"
        yield judged.finding(where, message, f"{most} of them, or refs to routes of your own for the others")


def _key(parent: dict[str, Any]) -> tuple[str, str, str]:
    return (parent.get("namespace") or "", parent.get("name") or "", parent.get("sectionName") or "")


def _replaces_prefix(entry: Any) -> bool:
    found = False
    for kind in ("urlRewrite", "requestRedirect"):
        member = entry.get(kind) if isinstance(entry, dict) else None
        path = member.get("path") if isinstance(member, dict) else None
        found |= isinstance(path, dict) and path.get("type") == "ReplacePrefixMatch"
    return found


def _is_one_prefix(matches: list[dict[str, Any]]) -> bool:
    path = matches[0].get("path")
    kind = path.get("type") if isinstance(path, dict) else None
    return len(matches) == 1 and kind in (None, "PathPrefix")
