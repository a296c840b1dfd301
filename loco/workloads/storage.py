"""How a model's weights reach the engine: from ``hf://`` or ``s3://`` by an init container into an emptyDir."""

import re
from posixpath import normpath
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template

MODEL_PATH = "/mnt/models"
_INITIALIZER = "storage-initializer"
_VOLUME = "kserve-provision-location"
_RESOURCES = {
    "requests": {"cpu": "100m", "memory": "100Mi"},
    "limits": {"cpu": "1", "memory": "1Gi"},
}
# Tuning of the download; a value that the user wrote stays.
_HF_ENV = (
    ("HF_HUB_ENABLE_HF_TRANSFER", "1"),
    ("HF_XET_HIGH_PERFORMANCE", "1"),
    ("HF_XET_NUM_CONCURRENT_RANGE_GETS", "8"),
)
_ENABLED_OFF = "storageInitializer: {enabled: false}"


def attach_model(pod: dict[str, Any], container: dict[str, Any], resolved: Resolved) -> list[Finding]:
    """Adds the download to the pod, unless ``storageInitializer.enabled`` is false.

    Returns an error for a scheme that isn't implemented, for a storage-initializer of the user's own, and where the
    engine has something else at the model's place.
    """
    settings = resolved.spec.storage_initializer
    if settings is not None and settings.enabled is False:
        return []
    findings = _bad_uri(resolved) + _taken(pod, container, resolved)
    if findings:
        return findings
    uri = (resolved.spec.model.uri if resolved.spec.model else None) or ""
    initializer: dict[str, Any] = {
        "name": _INITIALIZER,
        "image": resolved.profile.settings.storage_initializer_image,
        "args": [uri, MODEL_PATH],
        "resources": {kind: dict(amounts) for kind, amounts in _RESOURCES.items()},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": _VOLUME, "mountPath": MODEL_PATH}],
    }
    if uri.startswith("hf://"):
        initializer["env"] = [{"name": name, "value": value} for name, value in _HF_ENV]
    pod.setdefault("initContainers", []).append(initializer)
    # A volume of that name which the user wrote, such as a claim that keeps the weights, takes the emptyDir's place.
    volumes = pod.setdefault("volumes", [])
    if all(volume.get("name") != _VOLUME for volume in volumes):
        volumes.append({"name": _VOLUME, "emptyDir": {}})
    mounts = container.setdefault("volumeMounts", [])
    if not any(_is_at_model_path(mount) for mount in mounts):
        mounts.append({"name": _VOLUME, "mountPath": MODEL_PATH, "readOnly": True})
    return []


def _bad_uri(resolved: Resolved) -> list[Finding]:
    uri = (resolved.spec.model.uri if resolved.spec.model else None) or ""
    scheme, separator, rest = uri.partition("://")
    code = "LOCO-VALUE"
    if not separator or not rest:
        message, cure = "a model's uri has a scheme and a place", "hf://organization/model"
    elif scheme == "s3":
        return []
    elif scheme != "hf":
        code = "LOCO-UNSUPPORTED"
        message = f"models from {scheme}:// aren't implemented yet"
        cure = f"hf://organization/model or s3://bucket/path, or {_ENABLED_OFF} and volumes of your own"
    elif not re.fullmatch(r"[^/\s]+/[^/\s]+", rest):
        message = "a model of Hugging Face is one organization and one model"
        cure = "hf://organization/model, or hf://organization/model:revision"
    else:
        return []
    origin = resolved.origin_at("model", "uri")
    return [Finding(code, "error", "spec.model.uri", message, cure, origin, resolved.subject, uri)]


def _taken(pod: dict[str, Any], container: dict[str, Any], resolved: Resolved) -> list[Finding]:
    """Errors where the user's own pod stands in the download's way."""
    findings = []
    for index, init in enumerate(pod.get("initContainers") or []):
        if init.get("name") == _INITIALIZER:
            message = f"an init container {_INITIALIZER} of your own isn't merged with loco's yet"
            cure = f"the pod without it, or {_ENABLED_OFF}"
            findings.append(in_template(resolved, ("initContainers", index), message, cure, code="LOCO-UNSUPPORTED"))
    engine = (pod.get("containers") or []).index(container)
    for index, mount in enumerate(container.get("volumeMounts") or []):
        if _is_at_model_path(mount) and mount.get("name") != _VOLUME:
            message = f"{MODEL_PATH} is where the model is downloaded to, and something else is mounted there"
            cure = f"another mountPath, or {_ENABLED_OFF} where the volume holds the model itself"
            findings.append(in_template(resolved, ("containers", engine, "volumeMounts", index), message, cure))
    return findings


def _is_at_model_path(mount: dict[str, Any]) -> bool:
    return normpath(str(mount.get("mountPath", ""))) == MODEL_PATH
