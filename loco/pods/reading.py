"""Reading a pod: its containers, its amounts, and how a finding points into it."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from loco.layers import Resolved
from loco.model import Finding
from loco.spec.kubernetes.resources import amount as amount  # for the rules of pods
from loco.spec.tree import Branch, Path, dotted

ENGINE = "main"
TEMPLATE: Path = ("template",)
PICKER_TEMPLATE: Path = ("router", "scheduler", "template")


def containers_of(pod: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every container with its path, init containers first, as Kubernetes' own policies visit them."""
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(pod.get(field) or []):
            yield (field, index), container


def is_sidecar(container: Mapping[str, Any]) -> bool:
    """Whether an init container keeps running beside the pod's containers."""
    return container.get("restartPolicy") == "Always"


def in_template(
    resolved: Resolved,
    path: Path,
    message: str,
    cure: str,
    *,
    place: Path = TEMPLATE,
    code: str = "LOCO-VALUE",
    severity: Literal["error", "warning"] = "error",
    value: object = None,
) -> Finding:
    """A finding about ``path`` within the pod at ``place`` of the spec, at the line of whoever wrote it."""
    where = dotted(("spec", *place, *path), Branch({"spec": resolved.tree}, resolved.origin))
    origin = resolved.origin_at(*place, *path)
    return Finding(code, severity, where, message, cure, origin, resolved.subject, value)


def in_annotation(
    resolved: Resolved,
    key: str,
    message: str,
    cure: str,
    *,
    code: str = "LOCO-VALUE",
    severity: Literal["error", "warning"] = "error",
    value: object = None,
) -> Finding:
    """A finding about an annotation of the service's own metadata."""
    where = dotted(("metadata", "annotations", key))
    origin = resolved.origin_of_metadata("annotations", key)
    return Finding(code, severity, where, message, cure, origin, resolved.subject, value)
