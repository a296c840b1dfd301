"""The NetworkPolicies of a gateway: who may call its pods, and whom they may call, where the spec says so."""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.egress import Rule, migration_rules
from loco.gateway.pod import PORT
from loco.model import Edge, Manifest, ManifestId
from loco.spec.peer import Peer, rules_of


def network_policies(
    gateway: Gateway,
    pods: Manifest,
    callers: Sequence[Peer],
    egress: Sequence[Rule] | None,
) -> tuple[list[Manifest], list[Edge]]:
    """The policies before the pods that they are for.

    Args:
        gateway: the gateway.
        pods: its Deployment.
        callers: who else than the spec's ``clients`` may call, where these are named.
        egress: whom the pods may call; None: everybody.
    """
    spec: dict[str, Any] = {"podSelector": {"matchLabels": names.gateway_labels(gateway.name)}, "policyTypes": []}
    if gateway.spec.clients:
        peers = rules_of((*gateway.spec.clients, *callers))
        spec["policyTypes"].append("Ingress")
        spec["ingress"] = [{"from": peers, "ports": [{"port": PORT, "protocol": "TCP"}]}]
    if egress is not None:
        spec["policyTypes"].append("Egress")
        spec["egress"] = list(egress)
    manifests, edges = [], []
    if spec["policyTypes"]:
        policy = _policy(gateway, pods, names.gateway(gateway.name), names.gateway_labels(gateway.name), spec)
        manifests.append(policy)
        edges.append(Edge(policy.id, pods.id, "its pods are never without the policy"))
    if egress is not None and gateway.spec.database is not None:
        job = ManifestId("batch/v1", "Job", gateway.namespace, names.gateway_migration(gateway.name))
        labels = names.migration_labels(gateway.name)
        spec = {
            "podSelector": {"matchLabels": labels},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [],
            "egress": migration_rules(gateway),
        }
        policy = _policy(gateway, pods, names.gateway_migration(gateway.name), labels, spec)
        manifests.append(policy)
        edges.append(Edge(policy.id, job, "its pods are never without the policy"))
    return manifests, edges


def _policy(gateway: Gateway, pods: Manifest, name: str, labels: dict[str, str], spec: dict[str, Any]) -> Manifest:
    metadata = {"name": name, "namespace": gateway.namespace, "labels": labels}
    data = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}
    return Manifest(data, pods.component, gateway.origin)
