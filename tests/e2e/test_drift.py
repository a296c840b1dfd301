"""What somebody changes past the stack: which of it a refresh sees, and how the stack takes it back."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import ready_pods, scale
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

NAMESPACE = "drifting"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/tiny-kserve"
SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec:
  model: {uri: "hf://org/tiny"}
  replicas: 1
  template: {containers: [{name: main, image: "registry.example/vllm:1"}]}
"""


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    project = make_project({"tiny.yaml": SERVICE}, namespace=NAMESPACE)
    project.up()
    return project


def main_container(cluster: Cluster) -> dict[str, Any]:
    (container,) = cluster.client().get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    return dict(container)


@contextmanager
def forced(project: Project) -> Iterator[None]:
    project.environment["PULUMI_K8S_ENABLE_PATCH_FORCE"] = "true"
    try:
        yield
    finally:
        del project.environment["PULUMI_K8S_ENABLE_PATCH_FORCE"]


def kubectl_set(cluster: Cluster, **fields: Any) -> None:
    """As ``kubectl set`` does it: a strategic merge patch under a field manager of its own, what is new at the end."""
    container: dict[str, Any] = {"name": "main", **fields}
    if "env" in fields:
        there = [{"name": each["name"]} for each in main_container(cluster)["env"]]
        container["$setElementOrder/env"] = there + [{"name": each["name"]} for each in fields["env"]]
    patch = {"spec": {"template": {"spec": {"containers": [container]}}}}
    path, body = f"{DEPLOYMENT}?fieldManager=kubectl-set", json.dumps(patch).encode()
    cluster.client().call("PATCH", path, body, "application/strategic-merge-patch+json")


def test_what_somebody_adds_is_not_seen(project: Project, cluster: Cluster) -> None:
    kubectl_set(cluster, env=[{"name": "ADDED", "value": "by hand"}])
    project.preview("--refresh", "--expect-no-changes")
    assert "ADDED" in {each["name"] for each in main_container(cluster)["env"]}


def test_what_the_stack_has_written_is_seen_and_taken_back_by_force(project: Project, cluster: Cluster) -> None:
    scale(cluster, NAMESPACE, "tiny-kserve", 5)
    kubectl_set(cluster, image="registry.example/vllm:hotfix")
    project.preview("--expect-no-changes")
    seen = project.preview("--refresh", "--expect-no-changes", succeeds=False)
    refused = project.pulumi("up", "--refresh", "--yes", "--skip-preview", "--stack", "dev", succeeds=False)
    for told in (seen.stdout + seen.stderr, refused.stdout + refused.stderr):
        assert "Server-Side Apply field conflict" in told
        assert ".spec.replicas" in told
    assert cluster.client().get(DEPLOYMENT)["spec"]["replicas"] == 5
    with forced(project):
        project.pulumi("up", "--refresh", "--yes", "--skip-preview", "--stack", "dev")
    assert main_container(cluster)["image"] == "registry.example/vllm:1"
    assert cluster.client().get(DEPLOYMENT)["spec"]["replicas"] == 1
    project.preview("--refresh", "--expect-no-changes")


def test_a_renamed_stack_takes_over_by_force(project: Project, cluster: Cluster) -> None:
    """Once, without a restart; afterwards the old field manager holds nothing that would outlive its line in a file."""
    before = ready_pods(cluster, NAMESPACE)
    project.pulumi("stack", "rename", "later", "--stack", "dev")
    refused = project.pulumi("preview", "--stack", "later", succeeds=False)
    assert 'conflict with "loco/loco/dev"' in refused.stdout + refused.stderr
    with forced(project):
        project.pulumi("up", "--yes", "--skip-preview", "--stack", "later")
    assert ready_pods(cluster, NAMESPACE) == before
    project.pulumi("preview", "--expect-no-changes", "--stack", "later")
    managers = {each["manager"] for each in cluster.client().get(DEPLOYMENT)["metadata"]["managedFields"]}
    assert "loco/loco/later" in managers
    assert "loco/loco/dev" not in managers
