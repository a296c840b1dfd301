"""The routing sidecar of decode pods: an init container that keeps running and sends prompts to prefill pods."""

from collections.abc import Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.arguments import drop_empty_words
from loco.pods.attaching import place_of
from loco.pods.certificate import MOUNT_PATH, needs_certificate
from loco.pods.pool import pool_name
from loco.pods.reading import in_template
from loco.spec.tree import Path, at

SIDECAR = "llm-d-routing-sidecar"
_POOL = "INFERENCE_POOL_NAME"
_TOKEN = "automountServiceAccountToken"
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


def sidecar_of(pod: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
    """The sidecar of a pod with its number among the init containers."""
    for number, container in enumerate(pod.get("initContainers") or []):
        if container.get("name") == SIDECAR:
            return number, container
    return None


def wire_sidecar(pod: dict[str, Any], place: Path, resolved: Resolved) -> list[Finding]:
    """Tells a pod's sidecar which pool it serves, and gives it the API token by which it lists that pool's pods."""
    found = sidecar_of(pod)
    if found is None:
        return []
    number, sidecar = found
    if resolved.spec.router is not None:
        variables = sidecar.setdefault("env", [])
        if all(variable.get("name") != _POOL for variable in variables):
            variables.append({"name": _POOL, "value": pool_name(resolved)})
    drop_empty_words(sidecar, resolved)
    findings = _without_certificate(sidecar, number, place, resolved)
    if pod.get(_TOKEN) is not False:
        return findings
    written = at(resolved.tree, (*place, _TOKEN))
    if written is None or written.origin.layer.startswith("profile:"):
        pod[_TOKEN] = True
        return findings
    if any(mount.get("mountPath") == _TOKEN_PATH for mount in sidecar.get("volumeMounts") or []):
        return findings
    message = f"{SIDECAR} asks the Kubernetes API for the pods of its pool, and the pod has no token for it"
    cure = f"the pod without {_TOKEN}, or a token of your own mounted at {_TOKEN_PATH}"
    return [*findings, in_template(resolved, (_TOKEN,), message, cure, place=place, value=False)]


def _without_certificate(sidecar: Mapping[str, Any], number: int, place: Path, resolved: Resolved) -> list[Finding]:
    """An error where the sidecar is told to serve with the service's certificate, which without TLS nobody mounts."""
    mounted = any(place_of(mount) == MOUNT_PATH for mount in sidecar.get("volumeMounts") or [])
    if mounted or needs_certificate(resolved):
        return []
    for field in ("command", "args"):
        words = [str(word) for word in sidecar.get(field) or []]
        for index, word in enumerate(words):
            name, equals, value = word.lstrip("-").partition("=")
            path = value if equals else "".join(words[index + 1 : index + 2])
            if word.startswith("-") and name == "cert-path" and f"{path}/".startswith(f"{MOUNT_PATH}/"):
                message = (
                    f"the sidecar reads its certificate from {path}, where nothing is mounted (platform.tls is false)"
                )
                cure = "platform: {tls: true}; or the sidecar without --cert-path and --enable-tls"
                where: Path = ("initContainers", number, field, index)
                return [in_template(resolved, where, message, cure, place=place, value=path)]
    return []
