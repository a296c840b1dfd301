"""How a service's pods get its serving certificate, and which services have one."""

from typing import Any

from loco import names
from loco.layers import Resolved

MOUNT_PATH = "/var/run/kserve/tls"
_VOLUME = "tls-certs"


def needs_certificate(resolved: Resolved) -> bool:
    """With TLS; and where the profile follows KServe, which mounts one always."""
    return resolved.tls or resolved.profile.settings.certificates == "always"


def mount_certificate(pod: dict[str, Any], container: dict[str, Any], resolved: Resolved) -> None:
    """Gives ``container`` of ``pod`` the certificate, unless a layer has mounted something there itself."""
    volumes = pod.setdefault("volumes", [])
    if all(volume.get("name") != _VOLUME for volume in volumes):
        volumes.append({"name": _VOLUME, "secret": {"secretName": names.certificate_secret(resolved.name)}})
    mounts = container.setdefault("volumeMounts", [])
    if all(mount.get("mountPath") != MOUNT_PATH for mount in mounts):
        mounts.append({"name": _VOLUME, "mountPath": MOUNT_PATH, "readOnly": True})
