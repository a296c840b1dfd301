"""A plan's manifests to what they count on and the plan doesn't make. Pure, and the same for every topology.

Nothing here knows what a service or a gateway is: pods, claims and references are found by their form, wherever in
a manifest they stand, so that a kind which the plan learns later is covered too.
"""

from collections.abc import Iterable, Iterator

from loco.cli.cluster.need import GATEWAY_GROUP, Counted, Kind, Need, Parent, StorageClass, Target, Thing
from loco.cli.cluster.need import Account as AccountNeed
from loco.cli.cluster.pods import is_pod, pod_needs, pull_secrets
from loco.cli.cluster.shapes import Data, mapping, mappings, rows, text
from loco.model import Manifest
from loco.spec.tree import Path, dotted, plant

# Fields that name another object, with the group and kind that they mean when they don't say it.
_REFERENCES: dict[str, tuple[str, str]] = {
    "authenticationRef": ("keda.sh", "TriggerAuthentication"),
    "backendRef": ("", "Service"),
    "backendRefs": ("", "Service"),
    "endpointPickerRef": ("", "Service"),
    "extensionRef": ("", ""),
    "roleRef": ("rbac.authorization.k8s.io", ""),
    "scaleTargetRef": ("apps", "Deployment"),
}


def needs_of(manifests: Iterable[Manifest]) -> list[Need]:
    """What the manifests count on, in their order; what is in the plan itself is left out, but for Gateways."""
    manifests = tuple(manifests)
    made = {thing_of(manifest) for manifest in manifests}
    needs = []
    for manifest in manifests:
        root = None
        for counted in _counted(manifest):
            if _made(counted.what) in made:
                continue
            root = root or plant(manifest.data, manifest.origin)
            path, subject = dotted(counted.path, root), str(manifest.id)
            needs.append(Need(counted.what, path, subject, manifest.origin, counted.optional, counted.keys))
    return needs


def thing_of(manifest: Manifest) -> Thing:
    """The manifest's object, whatever the version."""
    identity = manifest.id
    return Thing(_group(identity.api_version), identity.kind, identity.namespace, identity.name)


def _made(what: Target) -> Target:
    """The object of a plan that would answer the need."""
    if isinstance(what, AccountNeed):
        return Thing("", "ServiceAccount", what.namespace, what.name)
    if isinstance(what, StorageClass) and what.name:
        return Thing("storage.k8s.io", "StorageClass", "", what.name)
    return what


def _counted(manifest: Manifest) -> Iterator[Counted]:
    group, kind, namespace = _group(manifest.id.api_version), manifest.id.kind, manifest.namespace
    yield Counted(Kind(group, manifest.id.api_version.rpartition("/")[2], kind), ("apiVersion",))
    if namespace:
        yield Counted(Thing("", "Namespace", "", namespace), ("metadata", "namespace"))
    if (group, kind) == ("", "ServiceAccount"):
        yield from pull_secrets(manifest.data, namespace, ())
    if (group, kind) == ("", "PersistentVolumeClaim"):
        yield from _claim(mapping(manifest.data.get("spec")), ("spec",))
    for path, data in mappings(manifest.data):
        if is_pod(data):
            yield from pod_needs(data, namespace, path)
        yield from _claims(data, path)
        yield from _references(data, namespace, path)
        if group == GATEWAY_GROUP:
            yield from _parents(data, manifest, path)
            if name := text(data.get("gatewayClassName")):
                yield Counted(Thing(group, "GatewayClass", "", name), (*path, "gatewayClassName"))
        if group == "resource.k8s.io" and (name := text(data.get("deviceClassName"))):
            yield Counted(Thing(group, "DeviceClass", "", name), (*path, "deviceClassName"))


def _claims(data: Data, path: Path) -> Iterator[Counted]:
    """Claims that are made for each pod, by a StatefulSet or a volume."""
    for index, template in rows(data.get("volumeClaimTemplates")):
        yield from _claim(mapping(template.get("spec")), (*path, "volumeClaimTemplates", index, "spec"))
    template = mapping(data.get("volumeClaimTemplate"))
    if template:
        yield from _claim(mapping(template.get("spec")), (*path, "volumeClaimTemplate", "spec"))


def _claim(spec: Data, path: Path) -> Iterator[Counted]:
    """A claim's class. ``""`` asks for none, and a claim that names its volume waits for no class."""
    name = spec.get("storageClassName")
    if text(name):
        yield Counted(StorageClass(name), (*path, "storageClassName"))
    elif name is None and not spec.get("volumeName"):
        yield Counted(StorageClass(None), path)


def _references(data: Data, namespace: str, path: Path) -> Iterator[Counted]:
    for field, (default_group, default_kind) in _REFERENCES.items():
        value = data.get(field)
        found = [((*path, field), mapping(value))] if value else []
        found += [((*path, field, index), item) for index, item in rows(value)]
        for where, reference in found:
            name, kind = text(reference.get("name")), text(reference.get("kind")) or default_kind
            if name is None or not kind:
                continue
            group = reference.get("group", reference.get("apiGroup"))
            if group is None and (version := text(reference.get("apiVersion"))):
                group = _group(version)
            group = str(default_group if group is None else group)
            yield Counted(_thing(group, kind, text(reference.get("namespace")) or namespace, name), where)


def _parents(data: Data, route: Manifest, path: Path) -> Iterator[Counted]:
    for index, reference in rows(data.get("parentRefs")):
        name = text(reference.get("name"))
        if name is None:
            continue
        where = (*path, "parentRefs", index)
        group, kind = str(reference.get("group", GATEWAY_GROUP)), text(reference.get("kind")) or "Gateway"
        namespace = text(reference.get("namespace")) or route.namespace
        if (group, kind) != (GATEWAY_GROUP, "Gateway"):
            yield Counted(_thing(group, kind, namespace, name), where)
            continue
        port = reference.get("port")
        names = data.get("hostnames")
        hostnames = tuple(str(host) for host in names) if isinstance(names, list) else ()
        section = text(reference.get("sectionName"))
        number = port if isinstance(port, int) else None
        yield Counted(Parent(namespace, name, section, number, route.id.kind, route.namespace, hostnames), where)


def _thing(group: str, kind: str, namespace: str, name: str) -> Thing:
    return Thing(group, kind, "" if kind.startswith("Cluster") else namespace, name)


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
