"""A model that is an image: its files seen through a container of the image, or mounted as a volume."""

from posixpath import dirname
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import add_environment, add_mount, add_volume
from loco.pods.download import VOLUME, taken
from loco.pods.reading import in_template
from loco.spec.tree import Path

DEFAULT_PATH = "/mnt/models"
_NAME = "modelcar"


def attach_modelcar(
    pod: dict[str, Any], container: dict[str, Any], image: str, path: str, resolved: Resolved, place: Path
) -> list[Finding]:
    """Runs the image beside the engine, and links its ``/models`` to ``path`` in a volume that both mount.

    The link leads through the other container's ``/proc/PID/root``, so the two share their processes, and must run as
    one user: the engine's own where a layer wrote one, else the profile's.
    """
    parent = dirname(path)
    findings = taken(pod, container, resolved, place, parent, VOLUME)
    if pod.get("shareProcessNamespace") is False:
        message = "the engine reads an oci:// model through its processes, which this keeps apart"
        cure = "the pod without it; or oci+native://, which mounts the image"
        findings.append(in_template(resolved, ("shareProcessNamespace",), message, cure, place=place))
    if findings:
        return findings
    user = _user(pod, container, resolved)
    add_environment(container, [{"name": "MODEL_INIT_MODE", "value": "async"}])
    add_volume(pod, {"name": VOLUME, "emptyDir": {}})
    add_mount(container, {"name": VOLUME, "mountPath": parent})
    folder = f"mkdir -p {parent} && " if path != DEFAULT_PATH else ""
    # Kubernetes makes $$ of $$$$, and the shell its own process of that.
    link = f"{folder}ln -sf /proc/$$$$/root/models {path} && sleep infinity"
    beside = _container(_NAME, image, link, resolved, user)
    beside["volumeMounts"] = [{"name": VOLUME, "mountPath": parent}]
    pod["containers"].append(beside)
    before = _container(f"{_NAME}-init", image, _check(image), resolved, user)
    pod.setdefault("initContainers", []).append(before)
    pod["shareProcessNamespace"] = True
    return []


def attach_image(
    pod: dict[str, Any], container: dict[str, Any], image: str, path: str, resolved: Resolved, place: Path
) -> list[Finding]:
    """Mounts the image's ``/models`` at ``path``; the kubelet pulls it (Kubernetes 1.35, or its feature ImageVolume)."""
    volume = path.strip("/").replace("/", "-")
    findings = taken(pod, container, resolved, place, path, volume)
    if not findings:
        add_volume(pod, {"name": volume, "image": {"reference": image, "pullPolicy": "IfNotPresent"}})
        add_mount(container, {"name": volume, "mountPath": path, "readOnly": True, "subPath": "models"})
    return findings


def moving_image(image: str, resolved: Resolved) -> list[Finding]:
    """A warning for an image that may be another one tomorrow, under the same name."""
    last = image.rpartition("/")[2]
    _, separator, tag = last.partition(":")
    if resolved.profile.settings.model_images != "pinned" or "@" in image or (separator and tag != "latest"):
        return []
    message = "the image may change under this name, and then two replicas serve different weights"
    cure = "the image with a tag that stays, or with its digest: @sha256:…"
    where = ("model", "uri")
    return [
        in_template(resolved, where, message, cure, place=(), code="LOCO-UNPINNED", severity="warning", value=image)
    ]


def _user(pod: dict[str, Any], container: dict[str, Any], resolved: Resolved) -> int | None:
    for context in (container.get("securityContext"), pod.get("securityContext")):
        if context and context.get("runAsUser") is not None:
            return int(context["runAsUser"])
    user = resolved.profile.settings.modelcar_user
    if user is not None:
        container.setdefault("securityContext", {})["runAsUser"] = user
    return user


def _container(name: str, image: str, script: str, resolved: Resolved, user: int | None) -> dict[str, Any]:
    amounts = resolved.profile.settings.modelcar_resources
    container: dict[str, Any] = {
        "name": name,
        "image": image,
        "args": ["sh", "-c", script],
        "resources": {"requests": dict(amounts), "limits": dict(amounts)},
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    if user is not None:
        container["securityContext"] = {"runAsUser": user}
    return container


def _check(image: str) -> str:
    """Pulls the image before the engine starts, and fails where it holds no model."""
    return (
        f"echo 'Pre-fetching modelcar {image}: ' && "
        '[ -d /models ] && [ "$$(ls -A /models)" ] && '
        "echo 'OK ... Prefetched and valid (/models exists)' || "
        "(echo 'NOK ... Prefetched but modelcar is invalid (/models does not exist or is empty)' && exit 1)"
    )
