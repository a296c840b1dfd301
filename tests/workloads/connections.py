"""NetworkPolicies as a cluster's network plugin reads them: who may open a connection to whom.

After the API reference of networking.k8s.io/v1: policies are additive, a pod that no policy selects for Ingress takes
everything, a rule without ``from`` lets in everybody and one without ``ports`` opens every port; the selectors within
one peer all have to hold, and a peer without namespaceSelector means the policy's own namespace.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

from loco.model import Manifest
from loco.model.pod_templates import pod_templates

_OF_GROUPS = "leaderworkerset.sigs.k8s.io/name"


@dataclass(frozen=True)
class Pod:
    """One pod, or somebody outside the cluster with nothing but an address."""

    name: str
    namespace: str | None
    labels: Mapping[str, str]
    address: str = "10.0.0.1"


def pods_of(manifests: Iterable[Manifest]) -> Iterator[Pod]:
    """One pod of each template, named ``<object>`` or, in a LeaderWorkerSet, ``<object>/leader`` and ``/worker``."""
    for manifest in manifests:
        for path, template in pod_templates(manifest.data):
            labels, part = dict(template["metadata"]["labels"]), ""
            if manifest.id.kind == "LeaderWorkerSet":
                labels[_OF_GROUPS] = manifest.name  # its controller's doing
                part = f"/{path[-1].removesuffix('Template')}"
            yield Pod(f"{manifest.name}{part}", manifest.namespace, labels)


def allowed(policies: Iterable[Mapping[str, Any]], source: Pod, target: Pod, port: int) -> bool:
    """Whether a TCP connection from one pod to a port of another is let through."""
    chosen = [policy for policy in policies if _selects(policy, target)]
    return not chosen or any(_admits(policy, rule, source, port) for policy in chosen for rule in _rules(policy))


def _selects(policy: Mapping[str, Any], pod: Pod) -> bool:
    spec = policy["spec"]
    here = policy["metadata"]["namespace"] == pod.namespace
    return here and "Ingress" in spec["policyTypes"] and _matches(spec["podSelector"], pod.labels)


def _rules(policy: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rules: list[Mapping[str, Any]] = policy["spec"].get("ingress") or []
    return rules


def _admits(policy: Mapping[str, Any], rule: Mapping[str, Any], source: Pod, port: int) -> bool:
    ports, peers = rule.get("ports") or [], rule.get("from") or []
    if ports and not any(entry["port"] == port and entry.get("protocol", "TCP") == "TCP" for entry in ports):
        return False
    return not peers or any(_is(peer, source, policy["metadata"]["namespace"]) for peer in peers)


def _is(peer: Mapping[str, Any], source: Pod, home: str) -> bool:
    if block := peer.get("ipBlock"):
        return ip_address(source.address) in ip_network(block["cidr"])
    if source.namespace is None:
        return False
    if (of_namespace := peer.get("namespaceSelector")) is not None:
        if not _matches(of_namespace, {"kubernetes.io/metadata.name": source.namespace}):
            return False
    elif source.namespace != home:
        return False
    return _matches(peer.get("podSelector") or {}, source.labels)


def _matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    assert selector.keys() <= {"matchLabels"}, "only equality is understood here"
    wanted: Mapping[str, str] = selector.get("matchLabels") or {}
    return wanted.items() <= labels.items()
