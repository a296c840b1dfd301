"""Everything that is attached to an engine's pod beside what its layers wrote."""

from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.download import open_parents
from loco.pods.download_environment import STORAGE_SECRET
from loco.spec.tree import Path
from loco.workloads.devices import ANNOTATIONS, attach_devices
from loco.workloads.kv_cache import attach_kv_cache
from loco.workloads.lora import attach_lora
from loco.workloads.side import Side
from loco.workloads.storage import attach_model
from loco.workloads.tracing import attach_tracing

# Of the service's own metadata, what these read; it reaches pods in another form.
READ_ANNOTATIONS = frozenset({STORAGE_SECRET, *ANNOTATIONS})

_STEPS = (attach_model, attach_lora, attach_kv_cache, attach_tracing, attach_devices)


def attach_all(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, side: Side, place: Path
) -> list[Finding]:
    """Attaches model, adapters, cache tiers, tracing and devices, in the reference's order.

    Args:
        pod: the pod, which is changed.
        container: its engine, one of ``pod["containers"]``.
        resolved: the service.
        side: the workload that the pod belongs to.
        place: where in the spec the pod stands, such as ``("prefill", "template")``.
    """
    findings = [finding for attach in _STEPS for finding in attach(pod, container, resolved, side, place)]
    open_parents(container)
    return findings
