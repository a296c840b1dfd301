"""The storage initializer: an init container that downloads model files into a volume that the engine reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import commonpath
from typing import Any

from loco.layers import Resolved
from loco.layers.merge import merge_specs
from loco.model import Finding
from loco.pods.attaching import add_environment, add_mount, add_volume, mount_at, place_of
from loco.pods.download_environment import HF_TUNING, ca_bundle, shared_environment, storage_secret
from loco.pods.model_uri import DISABLED, ModelURI
from loco.pods.reading import in_template
from loco.spec.tree import Path

INITIALIZER = "storage-initializer"
VOLUME = "kserve-provision-location"
_CA_VOLUME = "cabundle-cert"


@dataclass(frozen=True, slots=True)
class Download:
    """What is downloaded, and the path where the engine finds it."""

    uri: ModelURI
    path: str


def attach_downloads(
    pod: dict[str, Any],
    container: dict[str, Any],
    resolved: Resolved,
    place: Path,
    downloads: Sequence[Download],
    *,
    root: str | None = None,
    target: str | None = None,
) -> list[Finding]:
    """Adds one init container for all downloads, and what it downloads to the container.

    Several share one volume, mounted where their paths part. An init container of that name in the pod, which a user
    wrote, is laid over the generated one and keeps its place among the others.

    Args:
        pod, container: they are changed.
        resolved: the service.
        place: where in the spec the pod stands.
        downloads: at least one.
        root: where the volume begins, if above the place where the downloads' paths part.
        target: where the container has the only download, if not at its own path.
    """
    root = root or commonpath([download.path for download in downloads])
    at = target or root
    variables, findings = storage_secret(resolved)
    index, own = own_initializer(pod)
    findings += taken(pod, container, resolved, place, at, VOLUME)
    if own is not None:
        where: Path = ("initContainers", index)
        findings += _taken_in(own, where, resolved, place, root, VOLUME) + _ignored(own, where, resolved, place)
    initializer = _generated(resolved, downloads, root)
    add_environment(initializer, [*variables, *shared_environment(container, resolved), *_confidential(resolved)])
    if own is not None:
        initializer = _merged(initializer, own)
    if any(download.uri.scheme == "hf" for download in downloads):
        add_environment(initializer, HF_TUNING)
    if own is None:
        pod.setdefault("initContainers", []).append(initializer)
    else:
        pod["initContainers"][index] = initializer
    # A volume of that name which the user wrote, such as a claim that keeps the weights, takes the emptyDir's place.
    add_volume(pod, {"name": VOLUME, "emptyDir": {}})
    add_mount(container, {"name": VOLUME, "mountPath": at, "readOnly": True})
    _trust(pod, initializer, resolved)
    return findings


def own_initializer(pod: dict[str, Any]) -> tuple[int, dict[str, Any] | None]:
    """The init container of the storage initializer's name that a layer wrote, with its index."""
    for index, container in enumerate(pod.get("initContainers") or []):
        if container.get("name") == INITIALIZER:
            return index, container
    return -1, None


def unused_initializer(pod: dict[str, Any], resolved: Resolved, place: Path) -> list[Finding]:
    """Removes such a container where nothing is downloaded, with a warning."""
    index, own = own_initializer(pod)
    if own is None:
        return []
    del pod["initContainers"][index]
    message = "nothing is downloaded for this model, so its init container is left out"
    cure = "the pod without it"
    return [
        in_template(
            resolved, ("initContainers", index), message, cure, place=place, code="LOCO-NO-EFFECT", severity="warning"
        )
    ]


def taken(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, place: Path, path: str, volume: str
) -> list[Finding]:
    """An error where a container of the pod has another volume at the model's place."""
    index = next((i for i, other in enumerate(pod.get("containers") or []) if other is container), 0)
    return _taken_in(container, ("containers", index), resolved, place, path, volume)


def open_parents(container: dict[str, Any]) -> None:
    """Lets a read-only mount of downloads be written where another mount lies below it.

    A container runtime makes the place for the inner one, which it can't in a read-only one.
    """
    mounts = container.get("volumeMounts") or []
    for mount in mounts:
        outer = place_of(mount)
        if mount.get("name") == VOLUME and any(place_of(inner).startswith(f"{outer}/") for inner in mounts):
            mount.pop("readOnly", None)


def _generated(resolved: Resolved, downloads: Sequence[Download], root: str) -> dict[str, Any]:
    settings = resolved.profile.settings
    resources = settings.storage_initializer_resources
    return {
        "name": INITIALIZER,
        "image": settings.storage_initializer_image,
        "args": [text for download in downloads for text in (str(download.uri), download.path)],
        "resources": {kind: dict(amounts) for kind, amounts in resources.items()},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": VOLUME, "mountPath": root}],
    }


def _merged(generated: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The user's container laid over the generated one; what is run stays loco's."""
    over = {key: value for key, value in own.items() if key not in ("args", "command")}
    layers = ({"template": {"initContainers": [container]}} for container in (generated, over))
    (merged,) = merge_specs(*layers)["template"]["initContainers"]
    return dict(merged)


def _ignored(own: dict[str, Any], where: Path, resolved: Resolved, place: Path) -> list[Finding]:
    message = "what the storage initializer runs follows from the model, so this is left out"
    return [
        in_template(
            resolved,
            (*where, key),
            message,
            f"the container without {key}",
            place=place,
            code="LOCO-NO-EFFECT",
            severity="warning",
        )
        for key in ("command", "args")
        if own.get(key)
    ]


def _taken_in(
    container: dict[str, Any], where: Path, resolved: Resolved, place: Path, path: str, volume: str
) -> list[Finding]:
    found = mount_at(container, path)
    if found is None or found[1].get("name") == volume:
        return []
    message = f"{path} is where the model is put, and something else is mounted there"
    cure = f"another mountPath, or {DISABLED} where the volume holds the model itself"
    return [in_template(resolved, (*where, "volumeMounts", found[0]), message, cure, place=place)]


def _confidential(resolved: Resolved) -> list[dict[str, Any]]:
    settings = resolved.spec.model.confidential if resolved.spec.model else None
    if settings is None or not settings.enabled:
        return []
    variables = [{"name": "CONFIDENTIAL_ENABLED", "value": "true"}]
    if settings.resource_id:
        variables.append({"name": "CONFIDENTIAL_RESOURCE_ID", "value": settings.resource_id})
    return variables


def _trust(pod: dict[str, Any], initializer: dict[str, Any], resolved: Resolved) -> None:
    """Certificate authorities of one's own, for the download."""
    bundle = ca_bundle(initializer, resolved)
    if bundle is None:
        return
    name, path = bundle
    variables = {"CA_BUNDLE_CONFIGMAP_NAME": name, "CA_BUNDLE_VOLUME_MOUNT_POINT": path}
    add_environment(initializer, [{"name": key, "value": value} for key, value in variables.items()])
    add_volume(pod, {"name": _CA_VOLUME, "configMap": {"name": name}})
    add_mount(initializer, {"name": _CA_VOLUME, "mountPath": path, "readOnly": True})
