"""What must not be lost: a protected stack, a namespace with other people's objects, a Secret that changes its keeper."""

import json
from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: gpt-4o-mini, url: "https://api.openai.com/v1", auth: {bearerToken: {name: openai, key: token}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1}
"""


@pytest.fixture
def project(make_project: Callable[..., Project], request: pytest.FixtureRequest) -> Project:
    project = make_project(
        {"all.yaml": GATEWAY},
        stack="prod",
        namespace=request.node.name.replace("_", "-").removeprefix("test-")[:40].strip("-"),
        credentials={"openai": {"token": {"config": "openaiToken"}}},
    )
    project.pulumi("config", "set", "--secret", "openaiToken", "sk-protected", "--stack", "prod")
    project.up()
    return project


def namespace_of(project: Project) -> str:
    return str(project.outputs()["gateways"].popitem()[1]["namespace"])


def lift_and_destroy(project: Project) -> None:
    project.configure(deletionProtection=False)
    project.up()
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "prod")


def test_destroy_is_refused_as_a_whole(project: Project, cluster: Cluster) -> None:
    namespace = namespace_of(project)
    before = ready_pods(cluster, namespace)
    refused = project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "prod", succeeds=False)
    assert "deletionProtection" in refused.stdout + refused.stderr
    assert ready_pods(cluster, namespace) == before
    project.preview("--expect-no-changes")
    lift_and_destroy(project)
    assert objects(cluster, "apps/v1", "Deployment", namespace) == []


def test_namespaces_stay_when_they_are_no_longer_made(project: Project, cluster: Cluster) -> None:
    namespace = namespace_of(project)
    note = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "somebody-elses"}}
    cluster.client().apply(f"/api/v1/namespaces/{namespace}/configmaps/somebody-elses", json.dumps(note).encode())
    before = ready_pods(cluster, namespace)
    project.configure(cluster={"context": "loco-test", "identifier": "tests", "createNamespaces": False})
    project.up()
    assert ready_pods(cluster, namespace) == before
    lift_and_destroy(project)
    names = {item["metadata"]["name"] for item in objects(cluster, "v1", "ConfigMap", namespace)}
    assert "somebody-elses" in names


def test_a_secret_of_the_stack_is_not_deleted_by_calling_it_existing(project: Project, cluster: Cluster) -> None:
    namespace = namespace_of(project)
    project.configure(credentials={"openai": {"token": {"existing": True}}})
    project.pulumi("config", "rm", "openaiToken", "--stack", "prod")
    for refused in (project.preview(succeeds=False), project.up(succeeds=False)):
        assert "this stack has made the Secret" in refused.stdout + refused.stderr
    assert "openai" in {item["metadata"]["name"] for item in objects(cluster, "v1", "Secret", namespace)}
    project.configure(credentials={"openai": {"token": {"config": "openaiToken"}}})
    project.pulumi("config", "set", "--secret", "openaiToken", "sk-protected", "--stack", "prod")
    lift_and_destroy(project)
