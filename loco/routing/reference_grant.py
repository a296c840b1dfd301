"""References from one namespace to another, which the other must grant: a route's backends, a Gateway's certificates."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.model import Edge, Finding, Manifest, ManifestId, Parts
from loco.routing.route_limits import as_list, as_mapping
from loco.spec import Platform

_API = "gateway.networking.k8s.io/v1beta1"  # the version that every Gateway API of the last years has
_GROUP = "gateway.networking.k8s.io"
_MOST_NAMES = 16  # of one grant, as the Gateway API has it


@dataclass(frozen=True, slots=True, order=True)
class _Target:
    namespace: str
    group: str
    kind: str
    name: str
    path: str  # in the object that refers to it


def reference_grants(objects: Iterable[Manifest], platform: Platform, own_namespaces: Collection[str]) -> Parts:
    """A ReferenceGrant for each pair of namespaces, by object name; an error where the stack may not grant.

    Args:
        objects: the plan's; its HTTPRoutes and Gateways are looked at.
        own_namespaces: those that the stack has objects in, where it grants what its routes need.
    """
    parts = Parts()
    needed: dict[tuple[str, str, str], dict[_Target, list[ManifestId]]] = defaultdict(lambda: defaultdict(list))
    origins: dict[tuple[str, str, str], Manifest] = {}
    for manifest in objects:
        for target in _targets(manifest):
            if target.namespace in ("", manifest.namespace) or target.namespace in (platform.routes.granted or ()):
                continue
            if target.namespace not in own_namespaces:
                parts.findings.append(_not_granted(manifest, target))
                continue
            pair = (target.namespace, manifest.id.kind, manifest.namespace)
            needed[pair][target].append(manifest.id)
            origins.setdefault(pair, manifest)
    for pair, targets in sorted(needed.items()):
        for manifest, served in _grants(pair, targets, origins[pair]):
            parts.manifests.append(manifest)
            parts.edges += [Edge(manifest.id, user, "it refers to what this grants") for user in served]
    return parts


def _grants(
    pair: tuple[str, str, str], targets: Mapping[_Target, list[ManifestId]], first: Manifest
) -> Iterator[tuple[Manifest, list[ManifestId]]]:
    namespace, kind, source = pair
    wanted = sorted({(target.group, target.kind, target.name) for target in targets})
    for number, start in enumerate(range(0, len(wanted), _MOST_NAMES)):
        some = wanted[start : start + _MOST_NAMES]
        data = {
            "apiVersion": _API,
            "kind": "ReferenceGrant",
            "metadata": {"name": names.reference_grant(kind, source, number), "namespace": namespace},
            "spec": {
                "from": [{"group": _GROUP, "kind": kind, "namespace": source}],
                "to": [{"group": group, "kind": of_kind, "name": name} for group, of_kind, name in some],
            },
        }
        users = [u for t, found in targets.items() if (t.group, t.kind, t.name) in some for u in found]
        yield Manifest(data, None, first.origin), list(dict.fromkeys(users))


def _targets(manifest: Manifest) -> Iterator[_Target]:
    if manifest.id.kind == "HTTPRoute":
        yield from _backends(manifest)
    elif manifest.id.kind == "Gateway":
        for index, listener in enumerate(as_list(manifest.data["spec"].get("listeners"))):
            for number, reference in enumerate(as_list(as_mapping(listener.get("tls")).get("certificateRefs"))):
                yield _target(reference, "Secret", f"spec.listeners[{index}].tls.certificateRefs[{number}]")


def _backends(route: Manifest) -> Iterator[_Target]:
    for index, rule in enumerate(as_list(route.data["spec"].get("rules"))):
        place = f"spec.rules[{index}]"
        mirrors = [
            (
                f"{place}.filters[{n}].requestMirror.backendRef",
                as_mapping(as_mapping(f).get("requestMirror")).get("backendRef"),
            )
            for n, f in enumerate(as_list(rule.get("filters")))
        ]
        backends = [(f"{place}.backendRefs[{n}]", b) for n, b in enumerate(as_list(rule.get("backendRefs")))]
        for path, backend in [*backends, *mirrors]:
            found = as_mapping(backend)
            if found.get("kind") != "InferencePool":  # of which another namespace is an error of its own
                yield _target(found, "Service", path)


def _target(reference: Mapping[str, Any], kind: str, path: str) -> _Target:
    return _Target(
        str(reference.get("namespace") or ""),
        str(reference.get("group") or ""),
        str(reference.get("kind") or kind),
        str(reference.get("name") or ""),
        path,
    )


def _not_granted(manifest: Manifest, target: _Target) -> Finding:
    message = f"nothing of this stack stands in the namespace {target.namespace}, so it can't grant the reference"
    what = f"{target.kind} {target.name} to {manifest.id.kind}s of {manifest.namespace}"
    cure = (
        f"a ReferenceGrant in {target.namespace} for {what}, then platform: {{routes: {{granted: [{target.namespace}]}}}};"
        f" or what it refers to in the namespace {manifest.namespace}"
    )
    path, subject = f"{target.path}.namespace", manifest.component or str(manifest.id)
    if manifest.id.kind == "HTTPRoute" and manifest.component is not None:
        path = path.replace("spec.", "spec.router.route.http.spec.", 1)
    return Finding("LOCO-REFERENCE", "error", path, message, cure, manifest.origin, subject, target.namespace)
