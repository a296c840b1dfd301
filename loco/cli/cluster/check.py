"""What a plan counts on against what a cluster has. Decides, and asks through a Reader; knows no network itself."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from loco.cli.cluster import cures
from loco.cli.cluster.gateway import check_gateways
from loco.cli.cluster.need import Account, Extended, Kind, Need, Parent, StorageClass, Thing
from loco.cli.cluster.needs import needs_of
from loco.cli.cluster.pods import pull_secrets
from loco.cli.cluster.reader import Absent, Found, PlannedFirst, Reader, Unreadable
from loco.cli.cluster.report import Report
from loco.cli.cluster.shapes import Data, mapping
from loco.model import Finding, Manifest

_DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")

What = TypeVar("What", bound=Hashable)


def check_against_cluster(manifests: Iterable[Manifest], reader: Reader) -> list[Finding]:
    """``LOCO-MISSING``, ``LOCO-GATEWAY`` and ``LOCO-UNCHECKED``: one for each thing, whoever counts on it.

    Raises:
        Unreachable: the cluster has stopped answering.
    """
    manifests = tuple(manifests)
    needs, cluster, report = needs_of(manifests), PlannedFirst(manifests, reader), Report()
    for kind, group in _by(Kind, needs):
        _check_kind(kind, group, cluster, report)
    for account, group in _by(Account, needs):
        needs += _pulled_by(account, group, cluster)
        thing = Thing("", "ServiceAccount", account.namespace, account.name)
        # Kubernetes makes the default one in every namespace, but its pull secrets are somebody's.
        if account.name != "default" or isinstance(cluster.get(thing), Unreadable):
            _check_thing(thing, group, cluster, report)
    for thing, group in _by(Thing, needs):
        _check_thing(thing, group, cluster, report)
    for storage, group in _by(StorageClass, needs):
        _check_storage(storage, group, cluster, report)
    check_gateways(_by(Parent, needs), cluster, report)
    _check_extended(_by(Extended, needs), cluster, report)
    return report.findings()


def _by(kind: type[What], needs: Iterable[Need]) -> list[tuple[What, list[Need]]]:
    """The needs of one kind, together with all others of the same target."""
    groups: dict[What, list[Need]] = {}
    for need in needs:
        if isinstance(need.what, kind):
            groups.setdefault(need.what, []).append(need)
    return list(groups.items())


def _check_kind(kind: Kind, needs: Sequence[Need], cluster: Reader, report: Report) -> None:
    versions = cluster.versions(kind.group)
    if isinstance(versions, Unreadable):
        report.unread(needs[0], f"the kinds of {kind.group or 'the core group'}", "", kind.name, versions.why)
        return
    served = []
    for version in versions.data if isinstance(versions, Found) else []:
        kinds = cluster.kinds(kind.group, version)
        if isinstance(kinds, Unreadable):
            report.unread(needs[0], f"the kinds of {kind.group}/{version}", "", kind.name, kinds.why)
            return
        if isinstance(kinds, Found) and kind.name in kinds.data:
            served.append(version)
    if kind.version in served:
        return
    wanted = f"{kind.name} of {kind.group}/{kind.version}" if kind.group else f"{kind.name} of {kind.version}"
    maker = cures.maker_of(kind.group)
    builtin = cures.is_builtin(kind.group)
    if served:
        message = f"the cluster serves {kind.name} as {', '.join(served)}, and not as {kind.version}"
        cure = f"kubectl apply -f CRDS, a release of {maker} that serves {kind.name} {kind.version}, before this stack"
    else:
        message = f"the cluster doesn't know the kind {wanted}"
        cure = f"kubectl apply -f CRDS, those of {maker}, before this stack"
    report.missing(needs, message, f"a cluster whose Kubernetes serves {wanted}" if builtin else cure)


def _pulled_by(account: Account, needs: Sequence[Need], cluster: Reader) -> list[Need]:
    """The pull secrets of a service account that the plan doesn't make. Public images can do without."""
    found = cluster.get(Thing("", "ServiceAccount", account.namespace, account.name))
    if not account.pulls or not isinstance(found, Found):
        return []
    return [
        Need(pulled.what, need.path, need.subject, need.origin, optional=True, keys=pulled.keys)
        for pulled in pull_secrets(found.data, account.namespace, ())
        for need in needs
    ]


def _check_thing(thing: Thing, needs: Sequence[Need], cluster: Reader, report: Report) -> None:
    found = cluster.get(thing)
    if isinstance(found, Unreadable):
        report.unread(needs[0], thing.kind, thing.namespace, thing.name, found.why)
    elif isinstance(found, Absent):
        keys = {key for need in needs for key in need.keys}
        unknown = "" if found.served else f", nor the kind {thing.kind}"
        report.missing(needs, f"there is no {thing}{unknown}", cures.for_object(thing, keys))
    elif mapping(found.data.get("metadata")).get("deletionTimestamp"):
        report.missing(needs, f"{thing} is being deleted", "the stack again once it is gone and made anew")
    else:
        _check_keys(thing, needs, sorted(mapping(found.data.get("data"))), report)


def _check_keys(thing: Thing, needs: Sequence[Need], present: Sequence[str], report: Report) -> None:
    lacking: dict[tuple[str, ...], list[Need]] = {}
    for need in needs:
        if need.keys and not set(need.keys) & set(present):
            lacking.setdefault(need.keys, []).append(need)
    for keys, readers in lacking.items():
        has = f"it has {', '.join(present)}" if present else "it is empty"
        message = f"{thing} has no key {' or '.join(keys)}; {has}"
        cure = f"the key {keys[0]} into the {thing.kind}, or the name of a key that it has"
        report.missing(readers, message, cure)


def _check_storage(storage: StorageClass, needs: Sequence[Need], cluster: Reader, report: Report) -> None:
    if storage.name is not None:
        named = cluster.get(Thing("storage.k8s.io", "StorageClass", "", storage.name))
        if isinstance(named, Unreadable):
            report.unread(needs[0], "StorageClass", "", storage.name, named.why)
        if not isinstance(named, Absent):
            return
        message = f"there is no StorageClass {storage.name}, nor a volume of that class"
    else:
        classes = cluster.all("storage.k8s.io", "StorageClass")
        if isinstance(classes, Unreadable):
            report.unread(needs[0], "StorageClass", "", "", classes.why)
            return
        if isinstance(classes, Found) and any(_is_default(data) for data in classes.data):
            return
        message = "the claim names no StorageClass, and none is the default"
    # A claim can also be bound to a volume that somebody has made beforehand; its class need not exist as an object.
    volumes = cluster.all("", "PersistentVolume")
    if isinstance(volumes, Unreadable):
        report.unread(needs[0], "PersistentVolume", "", "", volumes.why)
    elif isinstance(volumes, Absent) or not any(
        (mapping(data.get("spec")).get("storageClassName") or None) == storage.name for data in volumes.data
    ):
        report.missing(needs, message, "storageClassName: NAME, one of kubectl get storageclass")


def _is_default(storage_class: Data) -> bool:
    annotations = mapping(mapping(storage_class.get("metadata")).get("annotations"))
    return any(annotations.get(name) == "true" for name in _DEFAULT_CLASS)


def _check_extended(groups: Iterable[tuple[Extended, list[Need]]], cluster: Reader, report: Report) -> None:
    """Warnings only: nodes come and go, and an autoscaler may bring the right one."""
    greediest: dict[str, tuple[int, list[Need]]] = {}
    for extended, needs in groups:
        amount, others = greediest.get(extended.resource, (0, []))
        together = needs + others if extended.amount > amount else others + needs
        greediest[extended.resource] = (max(amount, extended.amount), together)
    if not greediest:
        return
    nodes = cluster.all("", "Node")
    for resource, (amount, needs) in greediest.items():
        if isinstance(nodes, Unreadable):
            report.unread(needs[0], "Node", "", "", nodes.why)
            continue
        offers = [
            str(mapping(mapping(node.get("status")).get("allocatable")).get(resource, 0))
            for node in (nodes.data if isinstance(nodes, Found) else [])
        ]
        most = max((int(offer) if offer.isdecimal() else amount for offer in offers), default=0)
        if most == 0:
            message, first = f"no node offers {resource}", needs
        elif most < amount:
            message, first = f"a pod asks for {amount} {resource}, and no node offers more than {most}", needs[:1]
        else:
            continue
        report.missing(
            first, message, "fewer in the pod's limits, or nodes and a device plugin that offer it", warning=True
        )
