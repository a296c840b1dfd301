"""What the cluster itself says, asked past the engine."""

import json
import time
from typing import Any

from dev.cluster import Cluster
from tests.goldens.objects import collection

_EVERYWHERE = (("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default"))


def objects(cluster: Cluster, api_version: str, kind: str, namespace: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cluster.client().get(collection(api_version, kind, namespace))["items"]
    return found


def inhabitants(cluster: Cluster, namespace: str) -> list[str]:
    """Every object of a namespace, of whatever kind, and the cluster-wide ones that name it; the namespace itself too.

    Without what Kubernetes puts into every namespace, and without events, which outlive what they tell of.
    """
    client = cluster.client()
    groups = [f"/apis/{group['preferredVersion']['groupVersion']}" for group in client.get("/apis")["groups"]]
    found = []
    for root in ["/api/v1", *groups]:
        for resource in client.get(root)["resources"]:
            if (
                "/" in resource["name"]
                or not {"list", "delete"} <= set(resource["verbs"])
                or resource["kind"] == "Event"
            ):
                continue
            for item in client.get(f"{root}/{resource['name']}")["items"]:
                name, place = item["metadata"]["name"], item["metadata"].get("namespace", "")
                theirs = place == namespace or (not place and name.startswith(namespace))
                if theirs and (resource["kind"], name) not in _EVERYWHERE:
                    found.append(f"{resource['kind']}/{name}")
    return found


def ready_pods(cluster: Cluster, namespace: str) -> dict[str, str]:
    """Name and UID of every pod that is ready and not on its way out."""
    return {
        pod["metadata"]["name"]: pod["metadata"]["uid"]
        for pod in objects(cluster, "v1", "Pod", namespace)
        if "deletionTimestamp" not in pod["metadata"]
        and {"type": "Ready", "status": "True"}.items()
        <= {k: v for c in pod["status"].get("conditions", []) if c["type"] == "Ready" for k, v in c.items()}.items()
    }


def pods_by_deployment(cluster: Cluster, namespace: str) -> dict[str, set[str]]:
    """UIDs of ready pods by the name of their Deployment."""
    found: dict[str, set[str]] = {}
    for name, uid in ready_pods(cluster, namespace).items():
        found.setdefault(name.rsplit("-", 2)[0], set()).add(uid)
    return found


def scale(cluster: Cluster, namespace: str, deployment: str, replicas: int) -> None:
    """As an autoscaler would."""
    path = f"{collection('apps/v1', 'Deployment', namespace)}/{deployment}/scale"
    body = json.dumps({"spec": {"replicas": replicas}}).encode()
    cluster.client().call("PATCH", path, body, "application/merge-patch+json")


def wait_until(condition: Any, seconds: float = 60.0) -> None:
    """Asks again until the condition holds. Fails the test when it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "this never came true"
        time.sleep(0.5)
