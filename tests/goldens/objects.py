"""Objects on a real API server, without keeping them."""

import json
from collections.abc import Iterable
from typing import Any

from dev.cluster import Cluster

_PLURALS = {
    "Ingress": "ingresses",
    "ClusterRoleBinding": "clusterrolebindings",
    "Namespace": "namespaces",
    "NetworkPolicy": "networkpolicies",
}
# A Secret of the type kubernetes.io/tls is refused without its two keys; the plan leaves values to the components.
_PLACEHOLDER = {"tls.crt": "", "tls.key": ""}


def dry_run(cluster: Cluster, objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects as the API server would store them, strictly validated. Raises for one that it refuses."""
    client = cluster.client()
    made = []
    there = set()
    for item in objects:
        namespace = item["metadata"].get("namespace")
        if namespace and namespace not in there:
            there.add(namespace)
            client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
        body = dict(item)
        if item["kind"] == "Secret" and "data" not in item:
            body["data"] = dict(_PLACEHOLDER)
        path = collection(item["apiVersion"], item["kind"], namespace)
        answer = client.call("POST", f"{path}?dryRun=All&fieldValidation=Strict", json.dumps(body).encode())
        made.append({**json.loads(answer), "apiVersion": item["apiVersion"], "kind": item["kind"]})
    return made


def collection(api_version: str, kind: str, namespace: str | None) -> str:
    """The URL path of a kind's objects."""
    root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    plural = _PLURALS.get(kind) or f"{kind.lower()}s"
    return f"{root}/{plural}" if namespace is None else f"{root}/namespaces/{namespace}/{plural}"
