"""Work on a part of a stack: ``--target`` for updates, destroys and refreshes, and the removal of one model of several."""

from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project
from tests.e2e.events import finished, index_of, steps

pytestmark = pytest.mark.e2e

NAMESPACE = "targeted"
SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: NAME}
spec:
  model: {uri: "hf://org/NAME", name: NAME}
  replicas: 1
  router: {route: {}, scheduler: {}}
  template: {containers: [{name: main, image: "registry.example/vllm:VERSION"}]}
"""
GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1}
"""
PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw.infra.svc"}}
GATEWAY_ITSELF = ("--target", f"**LiteLLMGateway::{NAMESPACE}/main", "--target-dependents")


def write_model(project: Project, name: str, version: str = "1") -> None:
    project.write(f"models/{name}.yaml", SERVICE.replace("NAME", name).replace("VERSION", version))


def model(name: str) -> tuple[str, ...]:
    """The options that mean all of a model and nothing else."""
    return ("--target", f"**LLMInferenceService::{NAMESPACE}/{name}", "--target-dependents")


def deployments(events: list[dict[str, object]], operation: str) -> set[str]:
    return {urn.rpartition("/")[2] for urn in finished(events, operation) if ":Deployment::" in urn}


def message(event: dict[str, object]) -> str:
    told = event.get("diagnosticEvent")
    return str(told["message"]) if isinstance(told, dict) else ""


def gateway_config(cluster: Cluster) -> str:
    (config,) = [
        item["data"]["config.yaml"]
        for item in objects(cluster, "v1", "ConfigMap", NAMESPACE)
        if item["metadata"]["name"].startswith("main-litellm-config")
    ]
    return str(config)


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    project = make_project({"gateway.yaml": GATEWAY}, namespace=NAMESPACE, platform=PLATFORM)
    for name in ("one", "two"):
        write_model(project, name)
    project.up()
    return project


def test_an_update_of_one_model_leaves_the_other_change_for_later(project: Project, cluster: Cluster) -> None:
    for name in ("one", "two"):
        write_model(project, name, "2")
    before = ready_pods(cluster, NAMESPACE)
    events = project.events("up", *model("one"))
    after = ready_pods(cluster, NAMESPACE)
    assert deployments(events, "update") == {"one-kserve"}
    assert {name.rsplit("-", 2)[0] for name in before.keys() - after.keys()} == {"one-kserve"}
    assert steps(project.preview("--json").stdout) == {"two-kserve": {"update"}}


def test_a_new_model_and_then_its_gateway(project: Project, cluster: Cluster) -> None:
    write_model(project, "three")
    events = project.events("up", *model("three"))
    (warning,) = [text for event in events if "has a target" in (text := message(event))]
    assert f"LLMInferenceService/{NAMESPACE}/three is new" in warning
    created = deployments(events, "create")
    assert created == {"three-kserve", "three-kserve-router-scheduler"}
    assert "model_name: three" not in gateway_config(cluster)
    assert deployments(project.events("up", *GATEWAY_ITSELF), "update") == {"main-litellm"}
    assert "model_name: three" in gateway_config(cluster)
    events = project.events("up")
    assert deployments(events, "update") == {"two-kserve"}
    assert not any("has a target" in message(event) for event in events)
    project.preview("--expect-no-changes")


def test_a_destroy_of_one_model_says_that_the_guard_goes_along(project: Project, cluster: Cluster) -> None:
    before = ready_pods(cluster, NAMESPACE)
    target, dependents = model("three")[:2], model("three")[2:]
    refused = project.pulumi(
        "destroy", "--yes", "--skip-preview", "--stack", "dev", *target, "--target", "**::three/**", succeeds=False
    )
    assert "loco/deletionProtection' will be destroyed but was not specified" in refused.stdout + refused.stderr
    assert ready_pods(cluster, NAMESPACE) == before

    order = finished(project.events("destroy", *target, *dependents), "delete")
    assert index_of(order, ":HTTPRoute::") < index_of(order, ":InferencePool::") < index_of(order, "/three-kserve")
    left = ready_pods(cluster, NAMESPACE)
    assert {name.rsplit("-", 2)[0] for name in before.keys() - left.keys()} == created_by("three")
    assert left.items() <= before.items(), "nobody else was touched"

    created = finished(project.events("up"), "create")
    assert all(urn.endswith(("/deletionProtection", "/three")) or "::three/" in urn for urn in created)
    project.preview("--expect-no-changes")


def created_by(name: str) -> set[str]:
    return {f"{name}-kserve", f"{name}-kserve-router-scheduler"}


def test_a_refresh_of_one_model_finds_what_somebody_changed(project: Project, cluster: Cluster) -> None:
    for name in ("one", "two"):
        path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{name}-kserve"
        cluster.client().call("DELETE", path)
    events = project.events("refresh", "--target", "**::one/**")
    assert deployments(events, "delete") == {"one-kserve"}
    assert deployments(project.events("up", "--refresh"), "create") == {"one-kserve", "two-kserve"}
    project.preview("--expect-no-changes")


def test_a_model_is_removed_gateway_first_and_pods_last(project: Project, cluster: Cluster) -> None:
    before = ready_pods(cluster, NAMESPACE)
    (project.folder / "models/two.yaml").unlink()
    events = project.events("up")
    done = [
        (str(step["metadata"]["op"]), str(step["metadata"]["urn"]))  # type: ignore[index]
        for event in events
        if isinstance(step := event.get("resOutputsEvent"), dict)
    ]
    order = [urn for op, urn in done if op in ("update", "delete")]
    gateway, route = index_of(order, "::main/targeted/main-litellm"), index_of(order, ":HTTPRoute::")
    pool, engine = index_of(order, ":InferencePool::"), index_of(order, "/two-kserve")
    assert gateway < route < pool < engine
    assert "model_name: two" not in gateway_config(cluster)
    gone = {name.rsplit("-", 2)[0] for name in before.keys() - ready_pods(cluster, NAMESPACE).keys()}
    assert gone == {*created_by("two"), "main-litellm"}
    project.preview("--expect-no-changes", "--refresh")


def test_a_stack_keeps_its_name_while_it_has_objects(project: Project) -> None:
    """Its name is part of the field manager; the API server refuses another one, and the old name puts it right."""
    project.pulumi("stack", "rename", "later", "--stack", "dev")
    try:
        refused = project.pulumi("preview", "--stack", "later", succeeds=False)
        assert 'conflict with "loco/loco/dev"' in refused.stdout + refused.stderr
    finally:
        project.pulumi("stack", "rename", "dev", "--stack", "later")
    project.preview("--expect-no-changes")
