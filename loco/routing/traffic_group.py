"""Services of one namespace that share requests for one model, each by its weight."""

from collections.abc import Iterable, Sequence
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, ManifestId
from loco.pods.pool import has_own_pool, pool_api, pool_name, pool_reference
from loco.pods.serving import serving_service


def members_of(resolved: Resolved, running: Iterable[Resolved]) -> list[Resolved]:
    """The running services of its group, by name, itself among them; none for a service without a group."""
    group = _group(resolved)
    if group is None:
        return []
    members = [m for m in running if m.namespace == resolved.namespace and _group(m) == group]
    return sorted(members, key=lambda member: member.name)


def share(spec: dict[str, Any], resolved: Resolved, members: Sequence[Resolved]) -> list[Finding]:
    """Spreads a route's rules over the members that serve the same names; a member that doesn't is told.

    A rule with a match under the service's own path stays its own, as does one whose backends loco doesn't know.
    """
    alike = [member for member in members if served(member) == served(resolved)]
    findings, shared = [], False
    for rule in spec.get("rules") or []:
        if not _is_private(rule, resolved) and any(_is_managed(b, resolved) for b in rule.get("backendRefs") or []):
            rule["backendRefs"] = [_backend(member) for member in alike]
            shared = True
    if len(alike) > 1 and not shared:
        findings.append(_nothing_shared(resolved))
    for member in members:
        if member not in alike and member.name > resolved.name:  # told once for each pair
            message = f"{member.name} is of the same group and serves other names, so no requests are shared with it"
            cure = "the same model.name and adapters in all services of a group"
            origin = resolved.origin_at("router", "route", "group")
            path = "spec.router.route.group"
            group = _group(resolved)
            findings.append(Finding("LOCO-GROUP", "warning", path, message, cure, origin, resolved.subject, group))
    return findings


def _nothing_shared(resolved: Resolved) -> Finding:
    """Its route has rules for its own path alone, as the ten rules are without the header."""
    message = (
        "no rule of its route is for what the group shares, so all requests stay with the service they are sent to"
    )
    cure = "platform: {routes: {form: twelveRules}}, routing by the header that names the model, or no group"
    path, origin = "spec.router.route.group", resolved.origin_at("router", "route", "group")
    return Finding("LOCO-GROUP", "warning", path, message, cure, origin, resolved.subject, _group(resolved))


def backends_of(member: Resolved) -> list[ManifestId]:
    """What another member's route may name of it."""
    service = ManifestId("v1", "Service", member.namespace, serving_service(member))
    if not has_own_pool(member):
        return [service]
    pool = ManifestId(pool_api(member), "InferencePool", member.namespace, names.inference_pool(member.name))
    return [service, pool]


def served(resolved: Resolved) -> frozenset[str]:
    """Names by which requests ask for it: its model's and its adapters'."""
    return frozenset((resolved.model_name, *resolved.adapter_names))


def _group(resolved: Resolved) -> str | None:
    route = resolved.spec.router.route if resolved.spec.router else None
    return route.group if route is not None else None


def _is_private(rule: dict[str, Any], resolved: Resolved) -> bool:
    own = f"/{resolved.namespace}/{resolved.name}"
    paths = [str((match.get("path") or {}).get("value", "")) for match in rule.get("matches") or []]
    return any(path == own or path.startswith(f"{own}/") for path in paths)


def _is_managed(backend: dict[str, Any], resolved: Resolved) -> bool:
    if backend.get("namespace") not in (None, resolved.namespace):
        return False
    kind, name = backend.get("kind", "Service"), backend.get("name")
    return (kind, name) in (
        ("InferencePool", pool_name(resolved)),
        ("Service", serving_service(resolved)),
    )


def _backend(member: Resolved) -> dict[str, Any]:
    route = member.spec.router.route if member.spec.router else None
    weight = route.weight if route is not None else None
    backend: dict[str, Any] = {"port": names.ENGINE_PORT, "weight": 1 if weight is None else weight}
    if has_own_pool(member) or pool_reference(member):
        return {
            "group": names.pool_group(member.pool_api),
            "kind": "InferencePool",
            "name": pool_name(member),
            **backend,
        }
    return {"kind": "Service", "name": serving_service(member), **backend}
