"""A pretended cluster, short spellings of what may be on it, and the tables' one assertion."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from loco.cli.cluster.check import check_against_cluster
from loco.cli.cluster.need import Thing
from loco.cli.cluster.reader import Absent, Found, Unreadable
from loco.model import Finding, Manifest
from loco.model.origin import DERIVED

# The plan, the cluster, kinds that may not be read, and of each finding: code, severity and words of it.
Case = tuple[list[str], list[str], str, list[tuple[str, ...]]]

SERVED = {
    "": {"v1": "ConfigMap Namespace Node PersistentVolume PersistentVolumeClaim Pod Secret Service ServiceAccount"},
    "storage.k8s.io": {"v1": "StorageClass CSIDriver"},
    "gateway.networking.k8s.io": {"v1": "Gateway GatewayClass HTTPRoute"},
    "inference.networking.k8s.io": {"v1": "InferencePool"},
    "leaderworkerset.x-k8s.io": {"v1alpha1": "LeaderWorkerSet"},
}
LLM = "{apiVersion: v1, kind: Namespace, metadata: {name: llm, labels: {team: search}}}"
POD = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: llm}, spec: {containers: [CONTAINER], MORE}}"
ROUTE = """{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r, namespace: llm},
  spec: {parentRefs: [{name: shared, namespace: infra MORE}]}}"""
GATEWAY = """{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: shared, namespace: infra},
  spec: {gatewayClassName: envoy, listeners: [{name: http, port: 80, protocol: HTTP MORE}]}}"""
CLASS = """{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: envoy},
  spec: {controllerName: example.com/envoy}, status: {conditions: [{type: Accepted, status: STATE, message: told}]}}"""
ACCEPTED = CLASS.replace("STATE", '"True"')
NODE = '{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {nvidia.com/gpu: "8"}}}'
CLAIM = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: llm}, spec: {SPEC}}"
STORAGE = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, annotations: {NOTES}}}"
VOLUME = "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {storageClassName: manual}}"


@dataclass
class Pretended:
    """A cluster that holds some objects and may hide some kinds."""

    objects: list[dict[str, Any]]
    hidden: frozenset[str] = frozenset()
    served: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: SERVED)

    def versions(self, group: str) -> Found[list[str]] | Absent | Unreadable:
        if group in self.hidden:
            return Unreadable("forbidden")
        return Found(list(self.served[group])) if group in self.served else Absent()

    def kinds(self, group: str, version: str) -> Found[frozenset[str]] | Absent | Unreadable:
        return Found(frozenset(self.served[group][version].split()))

    def get(self, thing: Thing) -> Found[Any] | Absent | Unreadable:
        found = self.all(thing.group, thing.kind)
        if not isinstance(found, Found):
            return found
        for data in found.data:
            metadata = data["metadata"]
            if (metadata.get("namespace", ""), metadata["name"]) == (thing.namespace, thing.name):
                return Found(data)
        return Absent()

    def all(self, group: str, kind: str) -> Found[list[Any]] | Absent | Unreadable:
        if kind in self.hidden:
            return Unreadable("forbidden")
        if not any(kind in kinds.split() for kinds in self.served.get(group, {}).values()):
            return Absent(served=False)
        return Found([data for data in self.objects if data["kind"] == kind])


def check(plan: list[str], cluster: list[str], hidden: str = "") -> list[Finding]:
    manifests = [Manifest(yaml.safe_load(text), None, DERIVED) for text in plan]
    return check_against_cluster(
        manifests, Pretended([yaml.safe_load(text) for text in cluster], frozenset(hidden.split()))
    )


def pod(container: str = "name: c", more: str = "priority: 1") -> str:
    return POD.replace("CONTAINER", f"{{name: c, {container}}}").replace("MORE", more)


def env(name: str, key: str, optional: str = "false") -> str:
    return f"env: [{{name: A, valueFrom: {{secretKeyRef: {{name: {name}, key: {key}, optional: {optional}}}}}}}]"


def secret(name: str, *keys: str) -> str:
    return f"{{apiVersion: v1, kind: Secret, metadata: {{name: {name}, namespace: llm}}, data: {{{', '.join(keys)}}}}}"


def account(name: str, more: str = "") -> str:
    return f"{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: {name}, namespace: llm}} {more}}}"


def gateway(more: str = "") -> str:
    return GATEWAY.replace("MORE", f", allowedRoutes: {{namespaces: {{from: All}}}} {more}")


def listener(more: str) -> str:
    return GATEWAY.replace("MORE", more)


def route(more: str = "") -> str:
    return ROUTE.replace("MORE", more)


LWS = "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: l, namespace: llm}}"
SCALED = "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: s, namespace: llm}}"
POLICY = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: s, namespace: llm}}"
PULL = "imagePullSecrets: [{name: pull}]"
GPUS = "resources: {limits: {nvidia.com/gpu: COUNT}}"
SELECTOR = ", allowedRoutes: {namespaces: {from: Selector, selector: {RULE}}}"


def assert_said(case: Case) -> None:
    """Checks the plan of a case against its cluster: code, severity and words of every finding, and no other."""
    plan, cluster, hidden, expected = case
    found = check(plan, cluster, hidden)
    assert [(finding.code, finding.severity) for finding in found] == [(code, how) for code, how, *_ in expected]
    for finding, (_, _, *words) in zip(found, expected, strict=True):
        assert [word for word in words if word not in str(finding)] == [], str(finding)
        assert finding.cure
        assert finding.path
        assert finding.subject
