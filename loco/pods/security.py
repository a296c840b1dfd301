"""Pod security: what makes a pod pass Kubernetes' restricted standard, and what of the user's own stands against it."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import Any

from loco.layers import Resolved
from loco.layers.catalog import Settings
from loco.model import Finding
from loco.pods.reading import TEMPLATE, containers_of, in_template
from loco.pods.restricted import weaknesses
from loco.spec.tree import Path


def restrict(pod: dict[str, Any], resolved: Resolved, place: Path = TEMPLATE) -> list[Finding]:
    """Fills in what the restricted standard asks for and no layer has written.

    A weaker setting that a layer has written is honoured, and is a warning. Images that are known to run as root get
    a user of their own. ``place`` is where in the spec the pod stands.
    """
    settings = resolved.profile.settings
    if settings.pod_security != "restricted":
        return []
    findings = [_weak(path, why, resolved, place) for path, why in weaknesses(_filled(pod, settings))]
    for path in _contradictions(pod):
        message = "the container is never started: its user is 0, and runAsNonRoot is true"
        cure = "runAsUser: another one; or beside it runAsNonRoot: false, if the image must run as root"
        findings.append(in_template(resolved, (*path, "securityContext"), message, cure, place=place))
    return findings


def _filled(pod: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The pod itself, with every gap filled that doesn't contradict what stands beside it."""
    own = pod.setdefault("securityContext", {})
    if own.get("runAsUser") != 0:
        own.setdefault("runAsNonRoot", True)
    own.setdefault("seccompProfile", {"type": "RuntimeDefault"})
    for _, container in containers_of(pod):
        context = container.setdefault("securityContext", {})
        capabilities = context.setdefault("capabilities", {})
        # The API server refuses a container that may do everything and yet may not gain privileges.
        almighty = context.get("privileged") or "CAP_SYS_ADMIN" in (capabilities.get("add") or [])
        context.setdefault("allowPrivilegeEscalation", bool(almighty))
        capabilities.setdefault("drop", ["ALL"])
        if context.get("runAsUser") == 0:
            context.setdefault("runAsNonRoot", False)
        image = str(container.get("image", ""))
        user_known = "runAsUser" in context or "runAsUser" in own
        if (
            not user_known
            and _effective("runAsNonRoot", own, context)
            and any(fnmatch(image, pattern) for pattern in settings.root_images)
        ):
            context["runAsUser"] = settings.root_image_user
    return pod


def _contradictions(pod: Mapping[str, Any]) -> Iterator[Path]:
    own: Mapping[str, Any] = pod["securityContext"]
    for path, container in containers_of(pod):
        context = container["securityContext"]
        if _effective("runAsUser", own, context) == 0 and _effective("runAsNonRoot", own, context):
            yield path


def _effective(field: str, pod: Mapping[str, Any], container: Mapping[str, Any]) -> Any:
    return container[field] if field in container else pod.get(field)


def _weak(path: Path, why: str, resolved: Resolved, place: Path) -> Finding:
    message = f"the pod {why}, which a namespace that enforces the restricted pod security standard refuses"
    cure = "the pod without it, where the image allows"
    return in_template(resolved, path, message, cure, place=place, code="LOCO-WEAK-SECURITY", severity="warning")
