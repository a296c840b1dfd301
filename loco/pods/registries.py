"""Image registries: mirrors of them, and the Secrets that open them."""

from collections.abc import Iterable, Mapping
from typing import Any

_DEFAULT_HOST = "docker.io"


def use_mirrors(pod: dict[str, Any], mirrors: Mapping[str, str]) -> None:
    """Rewrites the images of a pod whose registry has a mirror; the rest of each name stays as it is."""
    for field in ("initContainers", "containers"):
        for container in pod.get(field) or []:
            if image := container.get("image"):
                container["image"] = mirrored(image, mirrors)
    for volume in pod.get("volumes") or []:
        if reference := (volume.get("image") or {}).get("reference"):
            volume["image"]["reference"] = mirrored(reference, mirrors)


def add_pull_secrets(pod: dict[str, Any], secrets: Iterable[str]) -> None:
    """Adds the platform's pull secrets behind those that a layer wrote, each once."""
    for secret in secrets:
        written = pod.setdefault("imagePullSecrets", [])
        if all(there.get("name") != secret for there in written):
            written.append({"name": secret})


def mirrored(image: str, mirrors: Mapping[str, str]) -> str:
    """The image's name at the mirror of its registry, if there is one.

    A name without a registry is one of docker.io, where a name of one part belongs to ``library``.
    """
    host, separator, rest = image.partition("/")
    if not separator or not ("." in host or ":" in host or host == "localhost"):
        host, rest = _DEFAULT_HOST, image if separator else f"library/{image}"
    mirror = mirrors.get(host)
    return f"{mirror.rstrip('/')}/{rest}" if mirror else image
