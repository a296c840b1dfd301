"""Adding to a pod what isn't there yet: what a layer has written under the same name stays as it is."""

from collections.abc import Iterable, Mapping
from posixpath import normpath
from typing import Any


def add_volume(pod: dict[str, Any], volume: Mapping[str, Any]) -> None:
    """Adds a volume, unless the pod has one of that name."""
    volumes = pod.setdefault("volumes", [])
    if all(there.get("name") != volume["name"] for there in volumes):
        volumes.append(dict(volume))


def add_mount(container: dict[str, Any], mount: Mapping[str, Any]) -> None:
    """Adds a mount, unless something is mounted at that path."""
    if mount_at(container, mount["mountPath"]) is None:
        container.setdefault("volumeMounts", []).append(dict(mount))


def add_environment(container: dict[str, Any], variables: Iterable[Mapping[str, Any]]) -> None:
    """Adds variables, each unless the container has one of that name."""
    for variable in variables:
        if all(there.get("name") != variable["name"] for there in container.get("env") or []):
            container.setdefault("env", []).append(dict(variable))


def mount_at(container: Mapping[str, Any], path: str) -> tuple[int, dict[str, Any]] | None:
    """The container's mount at a path, with its index."""
    for index, mount in enumerate(container.get("volumeMounts") or []):
        if place_of(mount) == normpath(path):
            return index, mount
    return None


def place_of(mount: Mapping[str, Any]) -> str:
    """A mount's path, however it was spelled."""
    return normpath(str(mount.get("mountPath", "")))
