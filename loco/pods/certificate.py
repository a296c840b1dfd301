"""How a service's pods get its serving certificate, which services have one, and which pods read it only once."""

import hashlib
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Manifest
from loco.model.pod_templates import pod_templates
from loco.spec.tree import at

MOUNT_PATH = "/var/run/kserve/tls"
_VOLUME = "tls-certs"
_TOKENIZER = ("router", "scheduler", "tokenizer", "template")
_TRUST = "SSL_CERT_DIR"  # where a process written in Go looks for authorities


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


def restart_with_rotation(workload: Manifest, resolved: Resolved, rotation: str | None) -> None:
    """Marks pods of ``workload`` that trust the authority they were started with, so that a rotation starts new ones.

    Engines, tokenizer and endpoint picker take up another certificate by themselves. But Go reads the authorities that
    a process trusts once: after a rotation a routing sidecar would refuse its engines, and a picker its tokenizer.
    A certificate for more names is signed by the same authority, and starts nothing anew.
    """
    if rotation is None or not resolved.tls:
        return
    if workload.name == names.picker(resolved.name) and at(resolved.tree, _TOKENIZER) is None:
        return
    for _, template in pod_templates(workload.data):
        started = [*(template["spec"].get("initContainers") or []), *(template["spec"].get("containers") or [])]
        if any(_TRUST in [variable.get("name") for variable in each.get("env") or []] for each in started):
            digest = hashlib.sha256(rotation.encode()).hexdigest()[:16]
            template["metadata"].setdefault("annotations", {})[names.CERTIFICATE_DIGEST] = digest
