"""What scales a workload: a HorizontalPodAutoscaler, or KEDA's ScaledObject."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest, ManifestId
from loco.pods.field_rules import refused_fields
from loco.pods.reading import in_template
from loco.spec import Platform
from loco.spec.scaling import WVA, Scaling
from loco.spec.stack import CONFIG
from loco.spec.tree import Branch, Path, at, dotted, plain
from loco.workloads.side import Side

_METRIC = "wva_desired_replicas"  # what the workload variant autoscaler publishes for each variant
_TRIGGER = "wva-desired-replicas"
_ACCELERATOR = "inference.optimization/acceleratorName"
_VARIANT_COST = "10.0"
_HPA, _SCALED_OBJECT = ("autoscaling/v2", "HorizontalPodAutoscaler"), ("keda.sh/v1alpha1", "ScaledObject")


def autoscaler(
    resolved: Resolved, side: Side, target: ManifestId, platform: Platform, component: str
) -> tuple[Manifest | None, list[Finding]]:
    """The object that scales one workload, None where nothing does.

    Args:
        resolved: the service.
        side: the workload.
        target: its Deployment or LeaderWorkerSet.
        platform: where Prometheus is, for KEDA with the variant autoscaler's metric.
        component: the owner.

    Each kind takes the other's place: KEDA refuses a ScaledObject while an autoscaler of somebody else's scales the
    same workload, so that one has to go first. Findings are about what the object lacks; which actuators may stand
    together is judged where the spec is.
    """
    scaling = side.workload.scaling
    if scaling is None:
        return None, []
    path = (*side.path, "scaling")
    if scaling.wva is not None and scaling.wva.hpa is not None:
        made = _manifest(_HPA, _hpa(scaling, resolved, path, target, side), resolved, component, side, scaling.wva)
        return made, _refused_behavior(resolved, (*path, "wva", "hpa", "behavior"))
    if scaling.wva is not None and scaling.wva.keda is not None:
        trigger, findings = _variant_trigger(platform, resolved, side, (*path, "wva", "keda"))
        path = (*path, "wva", "keda")
        spec = _scaled_object(scaling, resolved, path, target, [trigger])
        return _manifest(_SCALED_OBJECT, spec, resolved, component, side, scaling.wva), findings + _lacking(
            resolved, path
        )
    if scaling.keda is not None:
        path = (*path, "keda")
        triggers = plain(node) if (node := at(resolved.tree, (*path, "triggers"))) is not None else []
        spec = _scaled_object(scaling, resolved, path, target, triggers)
        return _manifest(_SCALED_OBJECT, spec, resolved, component, side, None), _lacking(resolved, path)
    return None, []


def _manifest(
    kind: tuple[str, str], spec: Mapping[str, Any], resolved: Resolved, component: str, side: Side, wva: WVA | None
) -> Manifest:
    api_version, name = kind
    ids = {of: ManifestId(*of, resolved.namespace, _name(of, resolved, side)) for of in (_HPA, _SCALED_OBJECT)}
    metadata: dict[str, Any] = {
        "name": ids[kind].name,
        "namespace": resolved.namespace,
        "labels": names.service_labels(resolved.name),
    }
    if wva is not None:
        labels = side.workload.labels or {}
        model = resolved.spec.model
        metadata["labels"] |= {_ACCELERATOR: labels.get(_ACCELERATOR, "unknown")}
        metadata["annotations"] = {
            "llm-d.ai/managed": "true",
            "llm-d.ai/model-id": (model.name or model.uri or "") if model else "",
            "llm-d.ai/variant-cost": wva.variant_cost or _VARIANT_COST,
        }
    data = {"apiVersion": api_version, "kind": name, "metadata": metadata, "spec": spec}
    others = tuple(identity for of, identity in ids.items() if of != kind)
    return Manifest(data, component, resolved.origin, takes_over=others)


def _name(kind: tuple[str, str], resolved: Resolved, side: Side) -> str:
    prefill = side.role == "prefill"
    return names.autoscaler(resolved.name, prefill) if kind == _HPA else names.scaled_object(resolved.name, prefill)


def _hpa(scaling: Scaling, resolved: Resolved, path: Path, target: ManifestId, side: Side) -> dict[str, Any]:
    selector = {"matchLabels": {"variant_name": _name(_HPA, resolved, side)}}
    metric = {"metric": {"name": _METRIC, "selector": selector}, "target": _metric_target(resolved)}
    spec: dict[str, Any] = {
        "scaleTargetRef": _reference(target),
        "minReplicas": scaling.min_replicas or 1,
        "maxReplicas": scaling.max_replicas,
        "metrics": [{"type": "External", "external": metric}],
    }
    if behavior := _written(resolved, (*path, "wva", "hpa")).get("behavior"):
        spec["behavior"] = behavior
    return spec


def _metric_target(resolved: Resolved) -> dict[str, str]:
    """The metric is a count of replicas: Value multiplies it by the ready pods at every turn, AverageValue takes it."""
    if resolved.profile.settings.variant_metric == "averageValue":
        return {"type": "AverageValue", "averageValue": "1"}
    return {"type": "Value", "value": "1"}


def _scaled_object(
    scaling: Scaling, resolved: Resolved, path: Path, target: ManifestId, triggers: list[Any]
) -> dict[str, Any]:
    written = {key: value for key, value in _written(resolved, path).items() if key != "triggers"}
    return {
        "scaleTargetRef": _reference(target),
        "minReplicaCount": scaling.min_replicas or 1,
        "maxReplicaCount": scaling.max_replicas,
        **written,
        "triggers": triggers,
    }


def _variant_trigger(
    platform: Platform, resolved: Resolved, side: Side, path: Path
) -> tuple[dict[str, Any], list[Finding]]:
    """KEDA's question to Prometheus; where that is only the platform team knows."""
    monitoring, findings = platform.monitoring, []
    if monitoring is None or monitoring.prometheus is None:
        message = f"{dotted(('spec', *path))} has KEDA ask Prometheus, and nobody says where that is"
        cure = "platform: {monitoring: {prometheus: http://HOST:9090}} in the stack config"
        where = "platform.monitoring.prometheus"
        findings.append(Finding("LOCO-CONFIG", "error", where, message, cure, CONFIG, resolved.subject))
    name = _name(_SCALED_OBJECT, resolved, side)
    metadata = {
        "serverAddress": monitoring.prometheus if monitoring else None,
        "query": f'{_METRIC}{{variant_name="{name}",exported_namespace="{resolved.namespace}"}}',
        "threshold": "1",
        "unsafeSsl": str(monitoring is not None and monitoring.tls_insecure_skip_verify).lower(),
    }
    trigger: dict[str, Any] = {"type": "prometheus", "name": _TRIGGER, "metadata": metadata}
    if monitoring is not None and monitoring.auth_modes is not None:
        metadata["authModes"] = monitoring.auth_modes
        reference = {"name": monitoring.trigger_auth_name, "kind": monitoring.trigger_auth_kind}
        trigger["authenticationRef"] = {key: value for key, value in reference.items() if value is not None}
    return trigger, findings


def _refused_behavior(resolved: Resolved, path: Path) -> list[Finding]:
    """What Kubernetes refuses in an autoscaler's behavior although its fields and types are right."""
    refused = refused_fields(_written(resolved, path), "HorizontalPodAutoscalerBehavior")
    return [in_template(resolved, below, message, cure, place=path) for below, message, cure in refused]


def _lacking(resolved: Resolved, path: Path) -> list[Finding]:
    """What KEDA's own schema insists on, and Kubernetes of the autoscaler that KEDA makes."""
    written = _written(resolved, path)
    parts: list[tuple[Path, Any, tuple[str, ...]]] = []
    if (fallback := written.get("fallback")) is not None:
        parts.append((("fallback",), fallback, ("failureThreshold", "replicas")))
    for index, trigger in enumerate(written.get("triggers") or []):
        if (reference := trigger.get("authenticationRef")) is not None:
            parts.append((("triggers", index, "authenticationRef"), reference, ("name",)))
    findings = []
    for below, part, needed in parts:
        for key in needed:
            if part.get(key) is None:
                where = dotted(("spec", *path, *below, key), Branch({"spec": resolved.tree}, resolved.origin))
                origin = resolved.origin_at(*path, *below)
                message, cure = f"{key} is missing", f"{key}, as KEDA defines it"
                findings.append(Finding("LOCO-VALUE", "error", where, message, cure, origin, resolved.subject))
    behavior: Path = ("advanced", "horizontalPodAutoscalerConfig", "behavior")
    if isinstance(at(resolved.tree, (*path, *behavior)), Branch):
        findings += _refused_behavior(resolved, (*path, *behavior))
    return findings


def _written(resolved: Resolved, path: Path) -> dict[str, Any]:
    node = at(resolved.tree, path)
    return dict(plain(node)) if node is not None else {}


def _reference(target: ManifestId) -> dict[str, str]:
    return {"apiVersion": target.api_version, "kind": target.kind, "name": target.name}
