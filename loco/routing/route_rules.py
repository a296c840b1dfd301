"""The rules of a service's HTTPRoute: the preset's or the user's, on the backends that the service has."""

from collections.abc import Iterator
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.pool import pool_name
from loco.pods.serving import serving_service
from loco.routing.adapter_routes import is_model_header
from loco.routing.route_limits import Rule, as_mapping, is_path
from loco.spec.tree import Path, at, dotted, plain

HTTP_SPEC: Path = ("router", "route", "http", "spec")
_TYPES_OF_PATHS = (None, "Exact", "PathPrefix")
_RESERVED = "publishers"


def base_rules(resolved: Resolved, by_model: bool) -> tuple[list[Rule], list[Finding]]:
    """The rules without those of adapters and of other members of a group.

    Args:
        by_model: whether the header that names the model routes; if not, what matches by it is left out.
    """
    tree = at(resolved.tree, (*HTTP_SPEC, "rules"))
    rules: list[Rule] = plain(tree) if tree is not None else []
    findings = [*_reserved_namespace(resolved), *_backends_elsewhere(rules, resolved)]
    rules, of_paths = _with_valid_paths(rules, resolved)
    findings += of_paths
    if not by_model and rules:
        rules = [kept for rule in rules if (kept := _without(rule, _is_by_model)) is not None]
        findings += [] if rules else [_nothing_left(resolved)]
    for rule in rules:
        for backend in rule.get("backendRefs") or []:
            if _is_default_pool(backend, resolved):
                _to_what_there_is(backend, resolved)
            elif _is_workload_service(backend, resolved):
                backend["name"] = serving_service(resolved)
    return rules, findings


def _with_valid_paths(rules: list[Rule], resolved: Resolved) -> tuple[list[Rule], list[Finding]]:
    """Without the preset's publisher paths where no path may hold the model's name; an error for other bad paths."""
    bad = list(_bad_paths(rules, resolved))
    if not bad:
        return rules, []
    if by_user := [(index, number, path) for index, number, path in bad if not _is_publisher_path(path, resolved)]:
        return rules, [_bad_path((*HTTP_SPEC, "rules", i, "matches", n, "path"), v, resolved) for i, n, v in by_user]
    kept = [rule for rule in (_without(r, lambda m: _is_publisher_path(_path(m), resolved)) for r in rules) if rule]
    message = "no path of a route can hold this name, so the model has no publisher path"
    cure = "letters, digits, dots, dashes and single slashes, such as organization/model"
    where: Path = ("model", "name")
    origin = resolved.origin_at(*where)
    return kept, [
        Finding(
            "LOCO-PUBLISHER-PATH",
            "warning",
            "spec.model.name",
            message,
            cure,
            origin,
            resolved.subject,
            resolved.model_name,
        )
    ]


def _nothing_left(resolved: Resolved) -> Finding:
    where: Path = (*HTTP_SPEC, "rules")
    message = "all rules match by the header that names the model, which doesn't route here, so none is left"
    cure = "a match by path beside them, or modelBasedRouting enabled for the service, its Gateway and the platform"
    origin = resolved.origin_at(*where)
    return Finding("LOCO-VALUE", "error", dotted(("spec", *where)), message, cure, origin, resolved.subject)


def _bad_path(where: Path, value: str, resolved: Resolved) -> Finding:
    message = "an API server takes no such path in a route"
    cure = "a path that starts with /, of letters, digits and -._~!$&'()*+,;=:@, without //, /./, /../, # and %2F"
    origin = resolved.origin_at(*where, "value")
    return Finding(
        "LOCO-VALUE", "error", dotted(("spec", *where, "value")), message, cure, origin, resolved.subject, value
    )


def _bad_paths(rules: list[Rule], resolved: Resolved) -> Iterator[tuple[int, int, str]]:
    for index, rule in enumerate(rules):
        for number, match in enumerate(rule.get("matches") or []):
            path = as_mapping(match.get("path"))
            value = path.get("value")
            if path.get("type") in _TYPES_OF_PATHS and isinstance(value, str) and not is_path(value):
                yield index, number, value


def _path(match: dict[str, Any]) -> str:
    return str(as_mapping(match.get("path")).get("value", ""))


def _is_publisher_path(path: str, resolved: Resolved) -> bool:
    own = f"/{names.publisher_name(resolved.namespace, resolved.model_name)}"
    return path == own or path.startswith(f"{own}/")


def _reserved_namespace(resolved: Resolved) -> list[Finding]:
    """Paths of a namespace of that name would lie where other namespaces have their publisher paths."""
    if resolved.namespace != _RESERVED:
        return []
    message = f"the path /{_RESERVED} belongs to the publisher paths of all namespaces"
    cure = "another namespace, or the service without a route"
    where = "metadata.namespace"
    return [Finding("LOCO-VALUE", "error", where, message, cure, resolved.origin, resolved.subject, _RESERVED)]


def _backends_elsewhere(rules: list[Rule], resolved: Resolved) -> Iterator[Finding]:
    """A Gateway looks for a pool in the route's own namespace, whatever the reference says."""
    for index, rule in enumerate(rules):
        for number, backend in enumerate(rule.get("backendRefs") or []):
            elsewhere = backend.get("namespace")
            if backend.get("kind") != "InferencePool" or elsewhere in (None, "", resolved.namespace):
                continue
            where: Path = (*HTTP_SPEC, "rules", index, "backendRefs", number, "namespace")
            message = "a pool is one of the route's own namespace; Gateways ignore another that is named here"
            cure = f"the service in the namespace {elsewhere}, or a backend of kind Service"
            written = resolved.origin_at(*where)
            path = dotted(("spec", *where))
            yield Finding("LOCO-VALUE", "error", path, message, cure, written, resolved.subject, elsewhere)


def _without(rule: Rule, left_out: Any) -> Rule | None:
    """The rule without such matches; None where nothing else is left of it."""
    matches = rule.get("matches") or []
    kept = [match for match in matches if not left_out(match)]
    if matches and not kept:
        return None
    return {**rule, "matches": kept} if len(kept) < len(matches) else rule


def _is_by_model(match: dict[str, Any]) -> bool:
    return any(map(is_model_header, match.get("headers") or []))


def _is_default_pool(backend: dict[str, Any], resolved: Resolved) -> bool:
    """Also by the name that it would have if names were never shortened, which users write by hand."""
    own = backend.get("namespace") in (None, resolved.namespace)
    called = (names.inference_pool(resolved.name), f"{resolved.name}-inference-pool")
    return own and backend.get("kind") == "InferencePool" and backend.get("name") in called


def _is_workload_service(backend: dict[str, Any], resolved: Resolved) -> bool:
    own = backend.get("namespace") in (None, resolved.namespace)
    called = (names.workload_service(resolved.name), f"{resolved.name}-kserve-workload-svc")
    return own and backend.get("kind", "Service") == "Service" and backend.get("name") in called


def _to_what_there_is(backend: dict[str, Any], resolved: Resolved) -> None:
    """Of a backend that names the default pool: without a scheduler the service's own Service, else the pool in use."""
    router = resolved.spec.router
    if router is None or router.scheduler is None:
        backend.pop("group", None)
        backend |= {"kind": "Service", "name": serving_service(resolved), "port": names.ENGINE_PORT}
    else:
        backend |= {"group": names.pool_group(resolved.pool_api), "name": pool_name(resolved)}
