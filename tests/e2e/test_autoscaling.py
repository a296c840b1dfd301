"""Who owns the count of replicas: handed to an autoscaler, from one to another in one update, and taken back."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from dev.cluster.client import Refused
from tests.e2e.cluster_facts import objects, ready_pods, scale, wait_until
from tests.e2e.conftest import Project
from tests.e2e.events import finished

pytestmark = pytest.mark.e2e

NAMESPACE = "scaled"
DEPLOYMENT = "tiny-kserve"
HPA, SCALED_OBJECT = "tiny-kserve-hpa", "tiny-kserve-keda"
BY_HPA: dict[str, Any] = {"scaling": {"minReplicas": 1, "maxReplicas": 6, "wva": {"hpa": {}}}}
TRIGGER = {"type": "prometheus", "metadata": {"serverAddress": "http://p:9090", "query": "q", "threshold": "5"}}
BY_KEDA: dict[str, Any] = {"scaling": {"minReplicas": 1, "maxReplicas": 6, "keda": {"triggers": [TRIGGER]}}}


def model(image: str = "registry.example/vllm:1", **spec: Any) -> str:
    engine = {"name": "main", "image": image}
    document = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "tiny"},
        "spec": {"model": {"uri": "hf://org/tiny"}, "template": {"containers": [engine]}, **spec},
    }
    return yaml.safe_dump(document)


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project], cluster: Cluster) -> Project:
    wait_until(lambda: serves_scaled_objects(cluster))
    platform = {
        "clients": [{"namespace": "apps", "podLabels": {"may": "call"}}, {"cidr": "10.0.0.0/8"}],
        "monitoring": {"peers": [{"namespace": "monitoring"}]},
    }
    project = make_project({"tiny.yaml": model(replicas=3)}, namespace=NAMESPACE, platform=platform)
    project.up()
    return project


def serves_scaled_objects(cluster: Cluster) -> bool:
    """A new cluster refuses to list the objects of a definition until it has read them all for the first time."""
    try:
        objects(cluster, "keda.sh/v1alpha1", "ScaledObject", NAMESPACE)
    except Refused:
        return False
    return True


def replicas(cluster: Cluster) -> int:
    (deployment,) = objects(cluster, "apps/v1", "Deployment", NAMESPACE)
    return int(deployment["spec"]["replicas"])


def actuators(cluster: Cluster) -> list[str]:
    kinds = (("autoscaling/v2", "HorizontalPodAutoscaler"), ("keda.sh/v1alpha1", "ScaledObject"))
    return [item["metadata"]["name"] for kind in kinds for item in objects(cluster, *kind, NAMESPACE)]


def ends_of(events: list[dict[str, Any]], *names: str) -> list[tuple[str, str]]:
    """What the engine did with objects of these names, in order, as operation and name."""
    done = []
    for event in events:
        step = event.get("resOutputsEvent")
        name = step["metadata"]["urn"].rpartition("/")[2] if step else ""
        if step and name in names and step["metadata"]["op"] not in ("same", "replace"):
            done.append((step["metadata"]["op"], name))
    return done


def test_the_count_stays_through_all_hand_overs(project: Project, cluster: Cluster) -> None:
    """Three written; then an autoscaler's, which makes it five; then nobody's."""
    assert (replicas(cluster), actuators(cluster)) == (3, [])
    assert len(objects(cluster, "networking.k8s.io/v1", "NetworkPolicy", NAMESPACE)) == 1
    project.preview("--expect-no-changes")

    project.write("models/tiny.yaml", model(**BY_HPA))
    pods = ready_pods(cluster, NAMESPACE)
    project.up()
    assert (replicas(cluster), actuators(cluster)) == (3, [HPA])
    assert ready_pods(cluster, NAMESPACE) == pods
    project.preview("--expect-no-changes")

    scale(cluster, NAMESPACE, DEPLOYMENT, 5)
    wait_until(lambda: len(ready_pods(cluster, NAMESPACE)) == 5)
    project.write("models/tiny.yaml", model("registry.example/vllm:2", **BY_HPA))
    project.up()
    assert replicas(cluster) == 5

    project.write("models/tiny.yaml", model("registry.example/vllm:2"))
    project.up()
    assert (replicas(cluster), actuators(cluster)) == (5, [])
    project.preview("--expect-no-changes")


def test_one_actuator_is_gone_before_the_other_comes(project: Project, cluster: Cluster) -> None:
    """KEDA refuses a ScaledObject for a workload that an autoscaler of somebody else's scales."""
    project.write("models/tiny.yaml", model(**BY_HPA))
    project.up()
    pods, count = ready_pods(cluster, NAMESPACE), replicas(cluster)
    for document, old, new in ((BY_KEDA, HPA, SCALED_OBJECT), (BY_HPA, SCALED_OBJECT, HPA)):
        project.write("models/tiny.yaml", model(**document))
        events = project.events("up")
        assert ends_of(events, HPA, SCALED_OBJECT) == [("delete-replaced", old), ("create-replacement", new)]
        assert not [urn for urn in finished(events, "update") if ":Deployment::" in urn]
        assert actuators(cluster) == [new]
        project.preview("--expect-no-changes")
    assert (ready_pods(cluster, NAMESPACE), replicas(cluster)) == (pods, count)


@pytest.mark.usefixtures("project")
def test_the_only_pod_may_be_evicted(cluster: Cluster) -> None:
    """As a node drain does; a budget that forbids it would keep the node from ever being drained."""
    scale(cluster, NAMESPACE, DEPLOYMENT, 1)
    wait_until(lambda: len(ready_pods(cluster, NAMESPACE)) == 1)
    (budget,) = objects(cluster, "policy/v1", "PodDisruptionBudget", NAMESPACE)
    assert budget["spec"]["maxUnavailable"] == 1

    def settled() -> bool:
        (budget,) = objects(cluster, "policy/v1", "PodDisruptionBudget", NAMESPACE)
        status = budget["status"]
        return (status["expectedPods"], status["currentHealthy"], status["disruptionsAllowed"]) == (1, 1, 1)

    wait_until(settled)
    (pod,) = ready_pods(cluster, NAMESPACE)
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/eviction"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": NAMESPACE}}
    cluster.client().call("POST", path, json.dumps(eviction).encode())  # refused with 429 where a budget forbids it
    wait_until(lambda: pod not in ready_pods(cluster, NAMESPACE) and len(ready_pods(cluster, NAMESPACE)) == 1)
