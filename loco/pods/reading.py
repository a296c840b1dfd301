"""Reading a pod: its containers, its amounts, and how a finding points into it."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.spec.tree import Branch, Path, dotted

ENGINE = "main"
TEMPLATE: Path = ("template",)
PICKER_TEMPLATE: Path = ("router", "scheduler", "template")

_SUFFIXES = {
    **{letter: Fraction(1000) ** power for power, letter in enumerate(("n", "u", "m", "", "k", "M", "G", "T"), -3)},
    "P": Fraction(1000) ** 5,
    "E": Fraction(1000) ** 6,
    **{f"{letter}i": Fraction(1024) ** power for power, letter in enumerate("KMGTPE", 1)},
}
_LARGEST = 30  # decimal exponent


def containers_of(pod: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every container with its path, init containers first, as Kubernetes' own policies visit them."""
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(pod.get(field) or []):
            yield (field, index), container


def is_sidecar(container: Mapping[str, Any]) -> bool:
    """Whether an init container keeps running beside the pod's containers."""
    return container.get("restartPolicy") == "Always"


def amount(quantity: object) -> Fraction:
    """The number that a quantity such as 500m, 8Gi, 1e3 or 2 stands for. Its form has been checked before."""
    text = str(quantity)
    mantissa, _, exponent = text.upper().partition("E")
    if exponent.lstrip("+-").isdigit():  # a long one, written out, would take all memory
        return Fraction(mantissa) * Fraction(10) ** max(-_LARGEST, min(_LARGEST, int(exponent)))
    number = text.rstrip("KMGTPEinumk")
    return Fraction(number) * _SUFFIXES[text[len(number) :]]


def picker_service_name(resolved: Resolved) -> str | None:
    """The endpoint picker's Service, if there is one: its name is taken from the pool's reference, so they agree."""
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    if scheduler is None:
        return None
    spec = scheduler.pool.spec if scheduler.pool else None
    reference = spec.endpoint_picker_ref if spec else None
    return (reference.name if reference else None) or names.picker_service(resolved.name)


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
