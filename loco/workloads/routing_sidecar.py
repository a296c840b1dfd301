"""The routing sidecar of decode pods: an init container that keeps running and sends prompts to prefill pods."""

from collections.abc import Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.arguments import drop_empty_words
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
    _, sidecar = found
    if resolved.spec.router is not None:
        variables = sidecar.setdefault("env", [])
        if all(variable.get("name") != _POOL for variable in variables):
            variables.append({"name": _POOL, "value": pool_name(resolved)})
    drop_empty_words(sidecar, resolved)
    if pod.get(_TOKEN) is not False:
        return []
    written = at(resolved.tree, (*place, _TOKEN))
    if written is None or written.origin.layer.startswith("profile:"):
        pod[_TOKEN] = True
        return []
    if any(mount.get("mountPath") == _TOKEN_PATH for mount in sidecar.get("volumeMounts") or []):
        return []
    message = f"{SIDECAR} asks the Kubernetes API for the pods of its pool, and the pod has no token for it"
    cure = f"the pod without {_TOKEN}, or a token of your own mounted at {_TOKEN_PATH}"
    return [in_template(resolved, (_TOKEN,), message, cure, place=place, value=False)]
