"""Pod security: what makes a pod pass Kubernetes' restricted standard, and what of the user's own stands against it."""

from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.spec.tree import Path, dotted

# The volume sources that the restricted standard allows.
_ALLOWED_VOLUMES = frozenset(
    {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
)
_HOST = ("hostNetwork", "hostPID", "hostIPC")


def restrict(pod: dict[str, Any], resolved: Resolved) -> list[Finding]:
    """Fills in what the restricted standard asks for and no layer has written.

    A weaker setting that a layer has written is honoured, and is a warning. Images that are known to run as root get
    a user of their own.
    """
    settings = resolved.profile.settings
    if settings.pod_security != "restricted":
        return []
    own = pod.setdefault("securityContext", {})
    own.setdefault("runAsNonRoot", True)
    own.setdefault("seccompProfile", {"type": "RuntimeDefault"})
    for _, container in _containers(pod):
        context = container.setdefault("securityContext", {})
        context.setdefault("allowPrivilegeEscalation", False)
        context.setdefault("capabilities", {}).setdefault("drop", ["ALL"])
        user_known = "runAsUser" in context or "runAsUser" in own
        non_root = context.get("runAsNonRoot", own["runAsNonRoot"])
        image = str(container.get("image", ""))
        if non_root and not user_known and any(fnmatch(image, pattern) for pattern in settings.root_images):
            context["runAsUser"] = settings.root_image_user
    return [_finding(path, why, resolved) for path, why in _weaknesses(pod)]


def _weaknesses(pod: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    for field in _HOST:
        if pod.get(field):
            yield (field,), "shares a namespace with the host"
    for index, volume in enumerate(pod.get("volumes") or []):
        for source in volume.keys() - {"name"} - _ALLOWED_VOLUMES:
            yield ("volumes", index, source), f"mounts a volume of the kind {source}"
    yield from _weak_context(pod["securityContext"], ("securityContext",))
    for path, container in _containers(pod):
        context = container["securityContext"]
        yield from _weak_context(context, (*path, "securityContext"))
        if context.get("privileged"):
            yield (*path, "securityContext", "privileged"), "is privileged"
        if context.get("allowPrivilegeEscalation"):
            yield (*path, "securityContext", "allowPrivilegeEscalation"), "may gain privileges"
        capabilities = context["capabilities"]
        if "ALL" not in capabilities["drop"]:
            yield (*path, "securityContext", "capabilities", "drop"), "keeps capabilities"
        if added := set(capabilities.get("add") or []) - {"NET_BIND_SERVICE"}:
            yield (*path, "securityContext", "capabilities", "add"), f"adds {', '.join(sorted(added))}"
        for number, port in enumerate(container.get("ports") or []):
            if port.get("hostPort"):
                yield (*path, "ports", number, "hostPort"), "takes a port of the host"


def _weak_context(context: dict[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    if context.get("runAsNonRoot") is False or context.get("runAsUser") == 0:
        yield (*path, "runAsUser" if context.get("runAsUser") == 0 else "runAsNonRoot"), "may run as root"
    profile = context.get("seccompProfile")
    if isinstance(profile, dict) and profile.get("type") == "Unconfined":
        yield (*path, "seccompProfile", "type"), "is not confined by seccomp"


def _containers(pod: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    for field in ("initContainers", "containers"):
        for index, container in enumerate(pod.get(field) or []):
            yield (field, index), container


def _finding(path: Path, why: str, resolved: Resolved) -> Finding:
    message = f"the pod {why}, which a namespace that enforces the restricted pod security standard refuses"
    cure = "the pod without it, where the image allows"
    where = dotted(("spec", "template", *path))
    origin = resolved.origin_at("template", *path)
    return Finding("LOCO-WEAK-SECURITY", "warning", where, message, cure, origin, resolved.subject)
