"""Policies by which the API server refuses something for a while, as a policy of the platform's might."""

import json
from collections.abc import Callable
from typing import Any

from dev.cluster import Cluster
from dev.cluster.client import Refused
from tests.e2e.cluster_facts import wait_until

_GROUP = "/apis/admissionregistration.k8s.io/v1"
_POLICIES, _BINDINGS = f"{_GROUP}/validatingadmissionpolicies", f"{_GROUP}/validatingadmissionpolicybindings"


def refuse(
    cluster: Cluster, name: str, namespace: str, constraints: dict[str, Any], is_taken: Callable[[], bool]
) -> None:
    """Has what the constraints match refused in one namespace, and waits until it is."""
    spec = {"matchConstraints": constraints, "validations": [{"expression": "false"}]}
    where = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    binding = {"policyName": name, "validationActions": ["Deny"], "matchResources": where}
    for path, kind, content in (
        (_POLICIES, "ValidatingAdmissionPolicy", spec),
        (_BINDINGS, "ValidatingAdmissionPolicyBinding", binding),
    ):
        head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}}
        cluster.client().apply(f"{path}/{name}", json.dumps({**head, "spec": content}).encode())
    wait_until(lambda: not is_taken())


def allow(cluster: Cluster, name: str, is_taken: Callable[[], bool]) -> None:
    """Takes the policy away, and waits until it has no effect any more."""
    for path in (_BINDINGS, _POLICIES):
        cluster.client().call("DELETE", f"{path}/{name}")
    wait_until(is_taken)


def is_taken(cluster: Cluster, name: str, method: str, path: str, body: Any, kind: str = "application/json") -> bool:
    """Whether the API server takes a request, which is a dry run, or refuses it by the policy of that name."""
    try:
        cluster.client().call(method, path, json.dumps(body).encode(), kind)
    except Refused as refused:
        if name not in str(refused):
            raise
        return False
    return True
