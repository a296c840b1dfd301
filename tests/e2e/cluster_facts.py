"""What the cluster itself says, asked past the engine."""

import json
import time
from typing import Any

from dev.cluster import Cluster
from tests.goldens.objects import collection


def objects(cluster: Cluster, api_version: str, kind: str, namespace: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cluster.client().get(collection(api_version, kind, namespace))["items"]
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
