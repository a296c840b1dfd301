"""One stack from its first update to its removal, on the real engine and the real API server."""

from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods, scale, wait_until
from tests.e2e.conftest import Project
from tests.e2e.events import finished, index_of

pytestmark = pytest.mark.e2e

MODEL = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec:
  model: {uri: "hf://org/tiny", name: org/tiny}
  template:
    containers:
    - name: main
      image: registry.example/vllm:1
      resources: {limits: {nvidia.com/gpu: 1}}
"""
NAMESPACE = "life"


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    return make_project({"tiny.yaml": MODEL}, namespace=NAMESPACE)


@pytest.fixture(scope="module")
def first_update(project: Project) -> list[dict[str, object]]:
    return project.events("up")


@pytest.mark.usefixtures("first_update")
class TestAfterTheFirstUpdate:
    def test_pods_are_ready(self, cluster: Cluster) -> None:
        assert len(ready_pods(cluster, NAMESPACE)) == 1

    def test_outputs_say_where_the_model_is(self, project: Project) -> None:
        model = project.outputs()["models"]["life/tiny"]
        assert model["url"] == "http://tiny-kserve-workload-svc.life.svc.cluster.local:8000"
        assert model["servedNames"] == ["org/tiny", "publishers/life/models/org/tiny"]
        assert model["presets"] == ["config-llm-template"]

    def test_the_service_selects_the_pods(self, cluster: Cluster) -> None:
        (service,) = objects(cluster, "v1", "Service", NAMESPACE)
        selector = service["spec"]["selector"].items()
        (pod,) = objects(cluster, "v1", "Pod", NAMESPACE)
        assert selector <= pod["metadata"]["labels"].items()

    def test_nothing_is_left_to_do(self, project: Project) -> None:
        project.preview("--expect-no-changes")

    def test_nothing_is_left_to_do_after_a_refresh(self, project: Project) -> None:
        project.preview("--expect-no-changes", "--refresh")

    def test_namespace_came_first(self, first_update: list[dict[str, object]]) -> None:
        order = finished(first_update, "create")
        namespace = index_of(order, ":Namespace::")
        assert namespace < index_of(order, ":Service::")
        assert namespace < index_of(order, ":Deployment::")

    def test_another_cluster_is_refused(self, project: Project, cluster: Cluster) -> None:
        before = ready_pods(cluster, NAMESPACE)
        right = {"context": "loco-test", "identifier": "tests", "createNamespaces": True}
        project.configure(cluster={**right, "identifier": "elsewhere"})
        try:
            refused = project.up(succeeds=False)
            assert (
                "this stack lives on the cluster tests, and the config names elsewhere"
                in refused.stdout + refused.stderr
            )
            assert "Pulumi.dev.yaml" in refused.stdout + refused.stderr
        finally:
            project.configure(cluster=right)
        assert ready_pods(cluster, NAMESPACE) == before
        project.preview("--expect-no-changes")


@pytest.mark.usefixtures("first_update")
class TestChanges:
    def test_a_new_image_rolls_the_pods_and_is_all_that_the_preview_shows(
        self, project: Project, cluster: Cluster
    ) -> None:
        scale(cluster, NAMESPACE, "tiny-kserve", 3)
        wait_until(lambda: len(ready_pods(cluster, NAMESPACE)) == 3)
        before = ready_pods(cluster, NAMESPACE)
        project.write("models/tiny.yaml", MODEL.replace("vllm:1", "vllm:2"))

        diff = project.preview("--diff").stdout
        changed = [line.strip() for line in diff.splitlines() if line.strip().startswith(("~", "+", "-"))]
        assert any('~ image: "registry.example/vllm:1" => "registry.example/vllm:2"' in line for line in changed)
        assert not any(line.startswith(("+", "-")) for line in changed), changed

        project.up()
        after = ready_pods(cluster, NAMESPACE)
        assert not before.keys() & after.keys()
        assert len(after) == 3, "nobody has written replicas, so the count is the autoscaler's"

    def test_removal_leaves_nothing(self, project: Project, cluster: Cluster) -> None:
        order = finished(project.events("destroy"), "delete")
        assert index_of(order, ":Deployment::") < index_of(order, ":Namespace::")
        namespaces = cluster.client().get("/api/v1/namespaces")["items"]
        assert NAMESPACE not in [namespace["metadata"]["name"] for namespace in namespaces]
        assert project.resources() == []
