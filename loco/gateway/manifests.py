"""The objects around a gateway's pods: config, Service, Deployment, and what scales and protects it."""

import hashlib
from collections.abc import Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.pod import CONFIG_FILE, PORT
from loco.model import Edge, Manifest, Wait
from loco.model.manifest import ReferenceDigest
from loco.spec.peer import Peer

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
    """Where clients of the cluster call it."""
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(gateway),
        "spec": {
            "type": "ClusterIP",
            "selector": names.gateway_labels(gateway.name),
            "ports": [{"name": "http", "port": PORT, "targetPort": "http", "protocol": "TCP", "appProtocol": "http"}],
        },
    }
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


def protection(gateway: Gateway, scaled: Manifest, callers: Sequence[Peer]) -> tuple[list[Manifest], list[Edge]]:
    """Its disruption budget, and its autoscaler and network policy where the spec asks for them; and their order.

    Args:
        gateway: the gateway.
        scaled: its Deployment.
        callers: who else than the spec's ``clients`` may call, where these are named.
    """
    component = scaled.component
    selector = {"matchLabels": names.gateway_labels(gateway.name)}
    # maxUnavailable and not minAvailable: a single replica must not keep a node from ever being drained.
    budget = {"maxUnavailable": 1, "selector": selector, "unhealthyPodEvictionPolicy": "AlwaysAllow"}
    manifests = [_manifest(gateway, component, "policy/v1", "PodDisruptionBudget", budget)]
    edges = []
    if gateway.spec.autoscaling is not None:
        manifests.append(_manifest(gateway, component, "autoscaling/v2", "HorizontalPodAutoscaler", _scaling(gateway)))
        edges.append(Edge(scaled.id, manifests[-1].id, "it scales what is there"))
    if gateway.spec.clients:
        peers: list[dict[str, Any]] = []
        for peer in (*gateway.spec.clients, *callers):
            if peer.as_rule() not in peers:
                peers.append(peer.as_rule())
        policy = {
            "podSelector": selector,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": peers, "ports": [{"port": PORT, "protocol": "TCP"}]}],
        }
        manifests.append(_manifest(gateway, component, "networking.k8s.io/v1", "NetworkPolicy", policy))
        edges.append(Edge(manifests[-1].id, scaled.id, "its pods are never without the policy"))
    return manifests, edges


def _scaling(gateway: Gateway) -> dict[str, Any]:
    """By CPU, which LiteLLM runs out of first; its memory never shrinks again."""
    scaling = gateway.spec.autoscaling
    assert scaling is not None
    target = {"type": "Utilization", "averageUtilization": scaling.cpu_utilization}
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": names.gateway(gateway.name)},
        "minReplicas": scaling.min_replicas,
        "maxReplicas": scaling.max_replicas,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
    }
    return spec if scaling.behavior is None else {**spec, "behavior": dict(scaling.behavior)}


def _manifest(gateway: Gateway, component: str | None, api_version: str, kind: str, spec: dict[str, Any]) -> Manifest:
    data = {"apiVersion": api_version, "kind": kind, "metadata": _metadata(gateway), "spec": spec}
    return Manifest(data, component, gateway.origin)


def _metadata(gateway: Gateway) -> dict[str, Any]:
    labels = names.gateway_labels(gateway.name)
    return {"name": names.gateway(gateway.name), "namespace": gateway.namespace, "labels": labels}
