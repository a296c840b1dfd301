"""Selectors against the pods of the whole plan: who is found by whom."""

from collections.abc import Iterable, Mapping
from typing import Any

from loco.model import Finding, Manifest


def check_selectors(manifests: Iterable[Manifest]) -> list[Finding]:
    """``LOCO-SELECTOR``: a Service without pods (a warning), and a Deployment that selects another one's (an error)."""
    manifests = tuple(manifests)
    workloads = [manifest for manifest in manifests if manifest.id.kind == "Deployment"]
    findings = []
    for service in (manifest for manifest in manifests if manifest.id.kind in ("Service", "InferencePool")):
        selector = service.data["spec"].get("selector") or {}
        if service.id.kind == "InferencePool":
            selector = selector.get("matchLabels") or {}
        if selector and not any(_selects(service, selector, workload) for workload in workloads):
            message = f"the {service.id.kind} selects none of the plan's pods, so requests to it fail"
            cure = f"labels of pods that have {' and '.join(selector)} as the {service.id.kind} wants them"
            findings.append(
                Finding("LOCO-SELECTOR", "warning", "spec.labels", message, cure, service.origin, str(service.id))
            )
    for workload in workloads:
        selector = workload.data["spec"]["selector"]["matchLabels"]
        for other in workloads:
            if other is not workload and _selects(workload, selector, other):
                message = f"its selector matches the pods of {other.id} too, and the two would fight over them"
                cure = "spec.labels without app.kubernetes.io/name, or with another value in each"
                findings.append(
                    Finding("LOCO-SELECTOR", "error", "spec.labels", message, cure, workload.origin, str(workload.id))
                )
    return findings


def _selects(selecting: Manifest, selector: Mapping[str, str], workload: Manifest) -> bool:
    labels: Mapping[str, Any] = workload.data["spec"]["template"]["metadata"].get("labels") or {}
    return selecting.namespace == workload.namespace and selector.items() <= labels.items()
