"""How a model's weights reach the engine: from ``hf://`` by an init container into an emptyDir."""

from typing import Any

from loco.layers import Resolved
from loco.model import Finding

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


def attach_model(pod: dict[str, Any], container: dict[str, Any], resolved: Resolved) -> list[Finding]:
    """Adds the download to the pod, unless ``storageInitializer.enabled`` is false.

    Returns an error for a scheme that isn't implemented, and for a storage-initializer of the user's own.
    """
    settings = resolved.spec.storage_initializer
    if settings is not None and settings.enabled is False:
        return []
    uri = (resolved.spec.model.uri if resolved.spec.model else None) or ""
    origin = resolved.origin_at("model", "uri")
    scheme, separator, rest = uri.partition("://")
    if not separator or not rest:
        message, cure = "a model's uri has a scheme and a place", "hf://organization/model"
        return [Finding("LOCO-VALUE", "error", "spec.model.uri", message, cure, origin, resolved.subject, uri)]
    if scheme != "hf":
        message = f"models from {scheme}:// aren't implemented yet"
        cure = "hf://organization/model, or storageInitializer: {enabled: false} and volumes of your own"
        return [Finding("LOCO-UNSUPPORTED", "error", "spec.model.uri", message, cure, origin, resolved.subject, uri)]
    initializers = pod.setdefault("initContainers", [])
    if any(init.get("name") == _INITIALIZER for init in initializers):
        message = f"an init container {_INITIALIZER} of your own isn't merged with loco's yet"
        cure = "the pod without it, or storageInitializer: {enabled: false}"
        where = "spec.template.initContainers"
        origin = resolved.origin_at("template", "initContainers")
        return [Finding("LOCO-UNSUPPORTED", "error", where, message, cure, origin, resolved.subject)]
    initializers.append(
        {
            "name": _INITIALIZER,
            "image": resolved.profile.settings.storage_initializer_image,
            "args": [uri, MODEL_PATH],
            "env": [{"name": name, "value": value} for name, value in _HF_ENV],
            "resources": {kind: dict(amounts) for kind, amounts in _RESOURCES.items()},
            "terminationMessagePolicy": "FallbackToLogsOnError",
            "volumeMounts": [{"name": _VOLUME, "mountPath": MODEL_PATH}],
        }
    )
    volumes = pod.setdefault("volumes", [])
    if all(volume.get("name") != _VOLUME for volume in volumes):
        volumes.append({"name": _VOLUME, "emptyDir": {}})
    mounts = container.setdefault("volumeMounts", [])
    if all(mount.get("name") != _VOLUME for mount in mounts):
        mounts.append({"name": _VOLUME, "mountPath": MODEL_PATH, "readOnly": True})
    return []
