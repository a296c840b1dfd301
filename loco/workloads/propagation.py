"""Labels and annotations: which of a service's reach its objects and pods (KServe's propagation rules)."""

from collections.abc import Collection, Mapping

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.spec.tree import dotted
from loco.workloads.attach import READ_ANNOTATIONS
from loco.workloads.side import Side, sides

_ANNOTATIONS = (
    "k8s.v1.cni.cncf.io",
    "kueue.x-k8s.io",
    "prometheus.io",
    "internal.serving.kserve.io/localmodel",
)
_GROUP_ANNOTATIONS = (*_ANNOTATIONS, "leaderworkerset.sigs.k8s.io")  # its controller reads its own
_LABELS = ("kueue.x-k8s.io", "internal.serving.kserve.io/localmodel")
_ROUTING_MARK = "serving.kserve.io/model-based-routing-enabled"
_SILENT = ("kubectl.kubernetes.io/last-applied-configuration", "serving.kserve.io/stop")
_UNSUPPORTED = "serving.kserve.io/"


def object_annotations(resolved: Resolved, side: Side) -> dict[str, str]:
    """Annotations of the workload object's own metadata."""
    prefixes = _GROUP_ANNOTATIONS if side.multi_node else _ANNOTATIONS
    return {key: value for key, value in resolved.annotations.items() if key.startswith(prefixes)}


def pod_annotations(resolved: Resolved, side: Side) -> dict[str, str]:
    """Annotations of the pods; the spec's win over the metadata's."""
    return object_annotations(resolved, side) | _without_mark(side.workload.annotations or {})


def spec_annotations(resolved: Resolved) -> dict[str, str]:
    """The spec's annotations, without the mark that only routes read."""
    return _without_mark(resolved.spec.annotations or {})


def with_added(labels: Mapping[str, str], resolved: Resolved, side: Side) -> dict[str, str]:
    """Labels of a workload's object or pods, with those that the service adds.

    Object, selector and pods all get them, so that they always agree.
    """
    propagated = {key: value for key, value in resolved.labels.items() if key.startswith(_LABELS)}
    return {**labels, **propagated, **(side.workload.labels or {})}


def selector(resolved: Resolved, labels: Mapping[str, str]) -> dict[str, str]:
    """What a Deployment finds its pods by, of the labels that they have.

    loco's own keys alone, with whatever value a layer gave them: a selector is immutable, so any further label in it
    would replace the Deployment. KServe takes all labels.
    """
    if resolved.profile.settings.selector == "allLabels":
        return dict(labels)
    return {key: labels[key] for key in names.workload_labels(resolved.name, "both")}


def service_labels(resolved: Resolved) -> dict[str, str]:
    """Labels of the workload Service."""
    return names.service_labels(resolved.name) | (resolved.spec.labels or {})


def not_propagated(resolved: Resolved, selected: Collection[str]) -> list[Finding]:
    """Metadata that would have no effect: a warning, or an error where KServe gives it a meaning.

    ``selected`` are the keys of labels by which the stack's gateways select; those have an effect without reaching
    any object.
    """
    findings = []
    grouped = any(side.multi_node for side in sides(resolved))
    for field, values, prefixes in (
        ("labels", resolved.labels, _LABELS),
        ("annotations", resolved.annotations, _GROUP_ANNOTATIONS if grouped else _ANNOTATIONS),
    ):
        for key in values:
            if field == "labels" and key in selected:
                continue
            if key in _SILENT or key.startswith(prefixes) or (field == "annotations" and key in READ_ANNOTATIONS):
                continue
            path = dotted(("metadata", field, key))
            origin = resolved.origin_of_metadata(field, key)
            if key == _ROUTING_MARK and field == "annotations":
                message = f"{key} is read among the spec's annotations alone"
                cure = f'spec: {{annotations: {{{key}: "{values[key]}"}}}}'
                findings.append(Finding("LOCO-UNSUPPORTED", "error", path, message, cure, origin, resolved.subject))
                continue
            if key.startswith(_UNSUPPORTED):
                message, cure = (
                    f"{key} isn't implemented yet, and would have no effect",
                    f"the service without this {field[:-1]}",
                )
                findings.append(Finding("LOCO-UNSUPPORTED", "error", path, message, cure, origin, resolved.subject))
                continue
            message = f"{key} reaches no object"
            cure = f"it under spec.{field}, from where it reaches the pods and the Service"
            findings.append(Finding("LOCO-NO-EFFECT", "warning", path, message, cure, origin, resolved.subject))
    return findings


def _without_mark(annotations: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in annotations.items() if key != _ROUTING_MARK}
