"""The HTTPRoutes of a service: the preset's rules or the user's, bound to the gateways that the service has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.routing.adapter_routes import MAIN, with_adapters
from loco.routing.gateway_facts import routes_by_model
from loco.routing.route_limits import BACKENDS_OF_A_RULE, LONGEST_HEADER, Rule, fits
from loco.routing.route_rules import HTTP_SPEC, base_rules
from loco.routing.traffic_group import share
from loco.spec import Platform
from loco.spec.service import GatewayReference
from loco.spec.tree import Path, at, dotted, plain

_GATEWAY_GROUP = "gateway.networking.k8s.io"
_CURE = "platform: {gateway: {name: NAME, namespace: NS}} in the stack config, or router.gateway.refs in the service"


def is_routed(resolved: Resolved) -> bool:
    """Whether there is a route of loco's making; where a user's own routes lead, only they know."""
    route = resolved.spec.router.route if resolved.spec.router else None
    return route is not None and not (route.http and route.http.refs)


def http_routes(
    resolved: Resolved, component: str, platform: Platform, members: Sequence[Resolved] = ()
) -> tuple[list[Manifest], list[Finding]]:
    """The routes, or an error where no gateway is known that could take them.

    Several where one can't hold all adapters: the highest number first, the main one last, which is the order to
    create and change them in. ``members`` are the running services of its traffic group, itself among them.
    """
    spec, findings = route_spec(resolved, platform)
    if any(finding.severity == "error" for finding in findings):
        return [], findings
    if members:
        findings += share(spec, resolved, members)
    rules = spec.pop("rules", None)
    if rules is None:
        return [_route(names.route(resolved.name), spec, resolved, component)], findings
    by_number = with_adapters(rules, resolved)
    findings += [*_refused(by_number[MAIN], resolved), *_long_names(by_number, resolved)]
    routes = [
        _route(
            names.route(resolved.name) if number == MAIN else names.further_route(resolved.name, number),
            {**spec, "rules": some},
            resolved,
            component,
        )
        for number, some in sorted(by_number.items(), reverse=True)
    ]
    return routes, findings


def route_spec(resolved: Resolved, platform: Platform) -> tuple[dict[str, Any], list[Finding]]:
    """The spec of a route that holds all but the adapters and the backends of other members of a group."""
    tree = at(resolved.tree, HTTP_SPEC)
    spec: dict[str, Any] = plain(tree) if tree is not None else {}
    router = resolved.spec.router
    refs = (router.gateway.refs if router and router.gateway else None) or []
    if refs:
        spec["parentRefs"] = [_parent(ref) for ref in refs]
    findings = _bad_parents(spec, bool(refs), resolved)
    if findings:
        return spec, findings
    for parent in spec["parentRefs"]:
        if not parent.get("namespace"):
            parent.pop("namespace", None)
    rules, findings = base_rules(resolved, routes_by_model(resolved, platform, spec["parentRefs"]))
    if "rules" in spec:
        spec["rules"] = rules
    return spec, findings


def _route(name: str, spec: dict[str, Any], resolved: Resolved, component: str) -> Manifest:
    data = {
        "apiVersion": f"{_GATEWAY_GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name, "namespace": resolved.namespace, "labels": names.route_labels(resolved.name)},
        "spec": spec,
    }
    return Manifest(data, component, resolved.origin)


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
    written = at(resolved.tree, (*HTTP_SPEC, "parentRefs"))
    if nameless and (from_refs or (written is not None and not written.origin.layer.startswith("preset:"))):
        below = ("gateway", "refs") if from_refs else ("route", "http", "spec", "parentRefs")
        path = f"spec.router.{'.'.join(below)}[{nameless[0]}].name"
        origin = resolved.origin_at("router", *below, nameless[0])
        message = "the reference names no Gateway"
        return [Finding("LOCO-VALUE", "error", path, message, "name: …", origin, resolved.subject)]
    message = "the service has a route, and no gateway to bind it to"
    origin = resolved.origin_at("router", "route")
    return [Finding("LOCO-VALUE", "error", "spec.router.route", message, _CURE, origin, resolved.subject)]


def _refused(rules: Iterable[dict[str, Any]], resolved: Resolved) -> list[Finding]:
    """What an API server would refuse, and no spreading over several routes cures."""
    findings = []
    where = (*HTTP_SPEC, "rules")
    path, origin = dotted(("spec", *where)), resolved.origin_at(*where)
    if not fits(rules):
        message = "a route has at most 16 rules, 64 matches in a rule and 128 in all, and these are more"
        cure = "fewer rules and matches, or http.refs to routes of your own"
        findings.append(Finding("LOCO-VALUE", "error", path, message, cure, origin, resolved.subject))
    most = max((len(rule.get("backendRefs") or []) for rule in rules), default=0)
    if most > BACKENDS_OF_A_RULE:
        message = f"a rule has at most {BACKENDS_OF_A_RULE} backends, and one has {most}"
        cure = "a smaller traffic group, or fewer backendRefs"
        findings.append(Finding("LOCO-VALUE", "error", path, message, cure, origin, resolved.subject, most))
    return findings


def _long_names(by_number: Mapping[int, Iterable[Rule]], resolved: Resolved) -> Iterator[Finding]:
    """Names of models and adapters that no match's header may hold."""
    values = {
        str(header.get("value"))
        for rules in by_number.values()
        for rule in rules
        for match in rule.get("matches") or []
        for header in match.get("headers") or []
    }
    places: list[tuple[Path, str]] = [(("model", "name"), resolved.model_name)]
    places += [
        (("model", "lora", "adapters", n, "name"), each.name or "") for n, each in enumerate(resolved.spec.adapters)
    ]
    for where, name in places:
        value = names.publisher_name(resolved.namespace, name)
        if len(value) > LONGEST_HEADER and value in values:
            message = (
                f"a route's header holds {LONGEST_HEADER} signs, and with its namespace this name has {len(value)}"
            )
            path, origin = dotted(("spec", *where)), resolved.origin_at(*where)
            yield Finding("LOCO-VALUE", "error", path, message, "a shorter name", origin, resolved.subject, name)
