"""What a pod counts on, be it the template of a Deployment, a StatefulSet, a LeaderWorkerSet or anything else."""

from collections.abc import Iterator

from loco.cli.cluster.need import PULL_KEYS, Account, Counted, Extended, Thing
from loco.cli.cluster.shapes import Data, mapping, rows, text
from loco.spec.tree import Path

_CONTAINERS = ("initContainers", "containers")


def is_pod(value: Data) -> bool:
    """Whether it is a pod's spec: nothing else has a list of containers."""
    return any(True for _ in rows(value.get("containers")))


def pod_needs(pod: Data, namespace: str, path: Path) -> Iterator[Counted]:
    """Everything that must be there before the kubelet can start the pod, and a scheduler place it."""
    yield from _account(pod, namespace, path)
    for field, group, kind in (
        ("priorityClassName", "scheduling.k8s.io", "PriorityClass"),
        ("runtimeClassName", "node.k8s.io", "RuntimeClass"),
    ):
        if name := text(pod.get(field)):
            yield Counted(Thing(group, kind, "", name), (*path, field))
    for index, claim in rows(pod.get("resourceClaims")):
        for field, kind in (
            ("resourceClaimName", "ResourceClaim"),
            ("resourceClaimTemplateName", "ResourceClaimTemplate"),
        ):
            if name := text(claim.get(field)):
                what = Thing("resource.k8s.io", kind, namespace, name)
                yield Counted(what, (*path, "resourceClaims", index, field))
    for field in _CONTAINERS:
        for index, container in rows(pod.get(field)):
            yield from _environment(container, namespace, (*path, field, index))
    for index, volume in rows(pod.get("volumes")):
        yield from _volume(volume, namespace, (*path, "volumes", index))
    yield from _extended(pod, path)


def pull_secrets(owner: Data, namespace: str, path: Path) -> Iterator[Counted]:
    """The ``imagePullSecrets`` of a pod or of a service account."""
    for index, reference in rows(owner.get("imagePullSecrets")):
        if name := text(reference.get("name")):
            what = Thing("", "Secret", namespace, name)
            yield Counted(what, (*path, "imagePullSecrets", index, "name"), keys=PULL_KEYS)


def _account(pod: Data, namespace: str, path: Path) -> Iterator[Counted]:
    own = list(pull_secrets(pod, namespace, path))
    yield from own
    field = "serviceAccountName" if "serviceAccountName" in pod else "serviceAccount"
    name = text(pod.get(field)) or "default"
    # Admission gives a pod its account's pull secrets only when it names none itself.
    yield Counted(Account(namespace, name, pulls=not own), (*path, field) if field in pod else path)


def _environment(container: Data, namespace: str, path: Path) -> Iterator[Counted]:
    for index, variable in rows(container.get("env")):
        source = mapping(variable.get("valueFrom"))
        for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
            reference = mapping(source.get(field))
            if (name := text(reference.get("name"))) and (key := text(reference.get("key"))):
                where = (*path, "env", index, "valueFrom", field)
                yield _read(kind, namespace, name, where, reference, (key,))
    for index, source in rows(container.get("envFrom")):
        for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            reference = mapping(source.get(field))
            if name := text(reference.get("name")):
                yield _read(kind, namespace, name, (*path, "envFrom", index, field), reference)


def _volume(volume: Data, namespace: str, path: Path) -> Iterator[Counted]:
    yield from _files(volume, namespace, path, "secretName")
    for index, source in rows(mapping(volume.get("projected")).get("sources")):
        yield from _files(source, namespace, (*path, "projected", "sources", index), "name")
    if name := text(mapping(volume.get("persistentVolumeClaim")).get("claimName")):
        what = Thing("", "PersistentVolumeClaim", namespace, name)
        yield Counted(what, (*path, "persistentVolumeClaim", "claimName"))
    csi = mapping(volume.get("csi"))
    if name := text(csi.get("driver")):
        yield Counted(Thing("storage.k8s.io", "CSIDriver", "", name), (*path, "csi", "driver"))
    if name := text(mapping(csi.get("nodePublishSecretRef")).get("name")):
        yield Counted(Thing("", "Secret", namespace, name), (*path, "csi", "nodePublishSecretRef"))


def _files(source: Data, namespace: str, path: Path, secret_name: str) -> Iterator[Counted]:
    """Secrets and ConfigMaps as files. A volume calls its Secret ``secretName``, a projection ``name``."""
    for field, kind, name_field in (("secret", "Secret", secret_name), ("configMap", "ConfigMap", "name")):
        reference = mapping(source.get(field))
        name = text(reference.get(name_field))
        if name is None:
            continue
        items = [(index, key) for index, item in rows(reference.get("items")) if (key := text(item.get("key")))]
        for index, key in items:
            yield _read(kind, namespace, name, (*path, field, "items", index), reference, (key,))
        if not items:
            yield _read(kind, namespace, name, (*path, field), reference)


def _read(kind: str, namespace: str, name: str, path: Path, reference: Data, keys: tuple[str, ...] = ()) -> Counted:
    return Counted(Thing("", kind, namespace, name), path, reference.get("optional") is True, keys)


def _extended(pod: Data, path: Path) -> Iterator[Counted]:
    """What one pod takes of each extended resource: its containers together, or its greediest init container."""
    together: dict[str, int] = {}
    alone: dict[str, int] = {}
    places: dict[str, Path] = {}
    for field in _CONTAINERS:
        for index, container in rows(pod.get(field)):
            resources = mapping(container.get("resources"))
            asked: dict[str, tuple[int, Path]] = {}
            for kind in ("requests", "limits"):
                for name, quantity in mapping(resources.get(kind)).items():
                    if _is_extended(name) and (amount := _whole(quantity)):
                        asked[name] = (amount, (*path, field, index, "resources", kind, name))
            for name, (amount, place) in asked.items():
                places.setdefault(name, place)
                if field == "containers" or container.get("restartPolicy") == "Always":
                    together[name] = together.get(name, 0) + amount
                else:
                    alone[name] = max(alone.get(name, 0), amount)
    for name, place in places.items():
        yield Counted(Extended(name, max(together.get(name, 0), alone.get(name, 0))), place)


def _is_extended(name: str) -> bool:
    """Kubernetes' own rule, and huge pages, which only nodes that are set up for them offer."""
    return name.startswith("hugepages-") or ("/" in name and "kubernetes.io/" not in name)


def _whole(quantity: object) -> int:
    """Devices are counted in whole numbers; of anything else (2Gi of huge pages) only that there is some."""
    digits = str(quantity)
    return int(digits) if digits.isdecimal() else 1
