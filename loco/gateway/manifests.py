"""The objects around a gateway's pods: config, Service, Deployment, disruption budget."""

import hashlib
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.pod import CONFIG_FILE, PORT
from loco.model import Manifest, Wait
from loco.model.manifest import ReferenceDigest
from loco.spec.gateway_network import GatewayService

_START_SECONDS = 600  # its start-up probe's budget of five minutes, and pulling the image


def config_map(gateway: Gateway, component: str, text: str) -> Manifest:
    """The config file. Immutable, each text an object of its own: pods of the text before still find theirs."""
    metadata = {**_metadata(gateway), "name": names.gateway_config(gateway.name)}
    metadata["annotations"] = {"hash": hashlib.sha256(text.encode()).hexdigest()}
    data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "immutable": True,
        "data": {CONFIG_FILE: text},
    }
    return Manifest(data, component, gateway.origin, editions=True)


def service(gateway: Gateway, component: str) -> Manifest:
    """Where clients call it: those of the cluster, and others too where the spec gives it another type."""
    chosen = gateway.spec.service or GatewayService()
    metadata = _metadata(gateway)
    metadata["labels"] |= chosen.labels or {}
    if chosen.annotations:
        metadata["annotations"] = dict(chosen.annotations)
    spec: dict[str, Any] = {
        "type": chosen.type or "ClusterIP",
        "selector": names.gateway_labels(gateway.name),
        "ports": [{"name": "http", "port": PORT, "targetPort": "http", "protocol": "TCP", "appProtocol": "http"}],
    }
    for field, value in (
        ("loadBalancerClass", chosen.load_balancer_class),
        ("loadBalancerSourceRanges", chosen.load_balancer_source_ranges),
        ("externalTrafficPolicy", chosen.external_traffic_policy),
    ):
        if value is not None:
            spec[field] = value
    data = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
    return Manifest(data, component, gateway.origin, wait=Wait(skip=True))


def deployment(
    gateway: Gateway, component: str, template: dict[str, Any], reference: ReferenceDigest | None
) -> Manifest:
    """The pods, replaced one by one and never before another one is ready."""
    spec: dict[str, Any] = {
        "selector": {"matchLabels": names.gateway_labels(gateway.name)},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "progressDeadlineSeconds": _START_SECONDS,
        "template": template,
    }
    if gateway.spec.replicas is not None:
        spec["replicas"] = gateway.spec.replicas
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _metadata(gateway), "spec": spec}
    return Manifest(
        data,
        component,
        gateway.origin,
        wait=Wait(timeout_seconds=_START_SECONDS),
        ignore_changes=() if gateway.spec.replicas is not None else ("spec.replicas",),
        replace_on=("spec.selector",),
        reference_digest=reference,
    )


def disruption_budget(gateway: Gateway, component: str) -> Manifest:
    """A drain takes one pod at a time; and the only one too, or it would never end."""
    budget = {
        "maxUnavailable": 1,
        "selector": {"matchLabels": names.gateway_labels(gateway.name)},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
    data = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": _metadata(gateway), "spec": budget}
    return Manifest(data, component, gateway.origin)


def _metadata(gateway: Gateway) -> dict[str, Any]:
    labels = names.gateway_labels(gateway.name)
    return {"name": names.gateway(gateway.name), "namespace": gateway.namespace, "labels": labels}
