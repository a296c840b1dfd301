"""What scales a gateway: a HorizontalPodAutoscaler or KEDA's ScaledObject, by CPU, requests in flight, or one's own."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.model import Finding, Manifest, ManifestId
from loco.spec import Platform
from loco.spec.gateway_scaling import IN_FLIGHT_TRIGGER, Autoscaling, GatewayKEDA
from loco.spec.stack import CONFIG

IN_FLIGHT = "litellm_in_flight_requests"
_HPA, _SCALED_OBJECT = ("autoscaling/v2", "HorizontalPodAutoscaler"), ("keda.sh/v1alpha1", "ScaledObject")
_CALLBACKS = ("callbacks", "success_callback")
_CPU_PERCENT = 70  # LiteLLM runs out of CPU first; its memory never shrinks again


def autoscaler(
    gateway: Gateway, target: Manifest, platform: Platform, config: Mapping[str, Any]
) -> tuple[Manifest | None, list[Finding]]:
    """The object that scales the Deployment, None where nothing does.

    Each kind takes the other's place: the one is gone before the other is made, and the count of replicas stays.

    Args:
        gateway: the gateway.
        target: its Deployment.
        platform: where Prometheus is, which KEDA asks.
        config: LiteLLM's.
    """
    scaling = gateway.spec.autoscaling
    if scaling is None:
        return None, []
    findings = _unpublished(gateway, scaling, config)
    if scaling.keda is not None:
        findings += _unknown_prometheus(gateway, scaling, platform)
        spec, kind = _scaled_object(gateway, scaling, scaling.keda, platform), _SCALED_OBJECT
    else:
        spec, kind = _hpa(gateway, scaling), _HPA
    named = {_HPA: names.gateway(gateway.name), _SCALED_OBJECT: names.gateway_scaled_object(gateway.name)}
    metadata = {
        "name": named[kind],
        "namespace": gateway.namespace,
        "labels": names.gateway_labels(gateway.name),
    }
    data = {"apiVersion": kind[0], "kind": kind[1], "metadata": metadata, "spec": spec}
    others = tuple(ManifestId(*of, gateway.namespace, name) for of, name in named.items() if of != kind)
    return Manifest(data, target.component, gateway.origin, takes_over=others), findings


def _hpa(gateway: Gateway, scaling: Autoscaling) -> dict[str, Any]:
    metrics: list[dict[str, Any]] = []
    if (percent := _cpu(scaling)) is not None:
        target = {"type": "Utilization", "averageUtilization": percent}
        metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": target}})
    if scaling.requests_in_flight is not None:
        target = {"type": "AverageValue", "averageValue": str(scaling.requests_in_flight)}
        metrics.append({"type": "Pods", "pods": {"metric": {"name": IN_FLIGHT}, "target": target}})
    spec = {
        "scaleTargetRef": _target(gateway),
        "minReplicas": scaling.min_replicas,
        "maxReplicas": scaling.max_replicas,
        "metrics": metrics,
    }
    return spec if scaling.behavior is None else {**spec, "behavior": dict(scaling.behavior)}


def _scaled_object(gateway: Gateway, scaling: Autoscaling, keda: GatewayKEDA, platform: Platform) -> dict[str, Any]:
    triggers: list[dict[str, Any]] = []
    if (percent := _cpu(scaling)) is not None:
        triggers.append({"type": "cpu", "metricType": "Utilization", "metadata": {"value": str(percent)}})
    if scaling.requests_in_flight is not None:
        triggers.append(_in_flight(gateway, scaling.requests_in_flight, platform))
    triggers += [trigger.model_dump(by_alias=True, exclude_none=True) for trigger in keda.triggers or []]
    spec: dict[str, Any] = {
        "scaleTargetRef": _target(gateway),
        "minReplicaCount": scaling.min_replicas,
        "maxReplicaCount": scaling.max_replicas,
        "triggers": triggers,
    }
    if keda.polling_interval is not None:
        spec["pollingInterval"] = keda.polling_interval
    if keda.fallback is not None:
        spec["fallback"] = keda.fallback.model_dump(by_alias=True)
    if scaling.behavior is not None:
        spec["advanced"] = {"horizontalPodAutoscalerConfig": {"behavior": dict(scaling.behavior)}}
    return spec


def _cpu(scaling: Autoscaling) -> int | None:
    """By CPU too, where the spec says so; by CPU alone, where it names no metric at all."""
    others = scaling.requests_in_flight or (scaling.keda and scaling.keda.triggers)
    return scaling.cpu_utilization or (None if others else _CPU_PERCENT)


def _in_flight(gateway: Gateway, threshold: int, platform: Platform) -> dict[str, Any]:
    """The sum over the gateway's pods; KEDA divides it by their number."""
    monitoring = platform.monitoring
    pods = f"{names.gateway(gateway.name)}-[a-z0-9]+-[a-z0-9]+"
    metadata = {
        "serverAddress": monitoring.prometheus if monitoring else None,
        "query": f'sum({IN_FLIGHT}{{namespace="{gateway.namespace}",pod=~"{pods}"}})',
        "threshold": str(threshold),
    }
    trigger: dict[str, Any] = {"type": "prometheus", "name": IN_FLIGHT_TRIGGER, "metadata": metadata}
    if monitoring is None:
        return trigger
    if monitoring.tls_insecure_skip_verify:
        metadata["unsafeSsl"] = "true"
    if monitoring.auth_modes is not None:
        metadata["authModes"] = monitoring.auth_modes
        reference = {"name": monitoring.trigger_auth_name, "kind": monitoring.trigger_auth_kind}
        trigger["authenticationRef"] = {key: value for key, value in reference.items() if value is not None}
    return trigger


def _unknown_prometheus(gateway: Gateway, scaling: Autoscaling, platform: Platform) -> list[Finding]:
    monitoring = platform.monitoring
    if scaling.requests_in_flight is None or (monitoring is not None and monitoring.prometheus is not None):
        return []
    message = "spec.autoscaling has KEDA ask Prometheus for requests in flight, and nobody says where that is"
    cure = "platform: {monitoring: {prometheus: http://HOST:9090}} in the stack config"
    where = "platform.monitoring.prometheus"
    return [Finding("LOCO-CONFIG", "error", where, message, cure, CONFIG, gateway.subject)]


def _unpublished(gateway: Gateway, scaling: Autoscaling, config: Mapping[str, Any]) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for a metric that the gateway doesn't publish: its autoscaler would stand still."""
    if scaling.requests_in_flight is None:
        return []
    settings = config.get("litellm_settings")
    written = [settings.get(key) for key in _CALLBACKS] if isinstance(settings, Mapping) else []
    if any("prometheus" in listed for listed in written if isinstance(listed, (list, str))):
        return []
    message = f"the gateway publishes no metrics, so nobody learns of {IN_FLIGHT}"
    cure = (
        "metrics: {} in the stack's Observability document; or extraConfig: {litellm_settings: {callbacks: [prometheus]}} "
        "here, and somebody who scrapes /metrics/"
    )
    path = ("autoscaling", "requestsInFlight")
    return [gateway.finding(path, message, cure, code="LOCO-NO-EFFECT", severity="warning")]


def _target(gateway: Gateway) -> dict[str, str]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "name": names.gateway(gateway.name)}
