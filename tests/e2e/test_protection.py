"""What must not be lost: a protected stack, a namespace with other people's objects, a Secret that changes its keeper."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

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
MODEL = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, annotations: {serving.kserve.io/stop: "STOPPED"}}
spec: {model: {uri: "hf://org/chat", name: chat}, replicas: 1}
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


@pytest.fixture(scope="module")
def running(make_project: Callable[..., Project]) -> Project:
    project = make_project(
        {"all.yaml": GATEWAY, "chat.yaml": MODEL.replace("STOPPED", "false")},
        stack="prod",
        namespace="what-runs",
        credentials={"openai": {"token": {"existing": True}}},
    )
    project.up()
    return project


class TestWhatRuns:
    """It is stopped in one update and removed in another, and an update that would do without is refused as a whole."""

    @pytest.mark.parametrize(
        ("files", "config"),
        [
            ({"chat.yaml": "# nothing any more\n"}, {}),
            ({}, {"overrides": {"LLMInferenceService/chat": {"enabled": False}}}),
            ({"chat.yaml": MODEL.replace("STOPPED", "false").replace("{name: chat,", "{name: other,")}, {}),
            ({"chat.yaml": "# nothing any more\n"}, {"deletionProtection": False}),
        ],
        ids=["no document", "not enabled", "another name", "protection is off at once"],
    )
    def test_a_preview_refuses_what_would_remove_it(
        self, files: dict[str, str], config: dict[str, Any], running: Project
    ) -> None:
        with changed(running, files, config):
            assert_refused(running.preview(succeeds=False))

    def test_an_update_is_refused_as_a_whole(self, running: Project, cluster: Cluster) -> None:
        before, state = snapshot(cluster, "what-runs"), remembered(running)
        with changed(
            running, {"chat.yaml": MODEL.replace("STOPPED", "false").replace("{name: chat,", "{name: other,")}
        ):
            assert_refused(running.up(succeeds=False))
        assert snapshot(cluster, "what-runs") == before
        assert remembered(running) == state
        running.preview("--expect-no-changes")

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("# nothing any more\n", "still runs, and this update would remove it"),
            (MODEL.replace("STOPPED", "true"), "still runs, and an update with a target can't stop it"),
        ],
        ids=["removed", "stopped"],
    )
    def test_an_update_of_something_else_does_not_forget_it(
        self, text: str, told: str, running: Project, cluster: Cluster
    ) -> None:
        """Else the guard against a destroy would depend on the rest alone, and a destroy would take it first."""
        before, state = snapshot(cluster, "what-runs"), remembered(running)
        with changed(running, {"chat.yaml": text, "all.yaml": GATEWAY.replace("replicas: 1", "replicas: 2")}):
            target = ("--target", "**LiteLLMGateway::what-runs/main", "--target-dependents", "--stack", "prod")
            for command in (("preview",), ("up", "--yes", "--skip-preview")):
                refused = running.pulumi(*command, *target, succeeds=False)
                assert refused.stdout.count(f"LLMInferenceService/what-runs/chat {told}") == 1
            refused = running.pulumi("destroy", "--yes", "--skip-preview", "--stack", "prod", succeeds=False)
            assert "loco/deletionProtection" in refused.stdout + refused.stderr
        assert snapshot(cluster, "what-runs") == before
        assert remembered(running) == state
        running.preview("--expect-no-changes")

    def test_a_gateway_goes_the_same_way(self, running: Project, cluster: Cluster) -> None:
        before = snapshot(cluster, "what-runs")
        running.write("models/all.yaml", GATEWAY.partition("---")[0])
        told = running.up(succeeds=False)
        assert "LiteLLMGateway/what-runs/main still runs" in told.stdout + told.stderr
        assert "write main back with replicas: 0" in told.stdout + told.stderr
        assert snapshot(cluster, "what-runs") == before

        running.write("models/all.yaml", GATEWAY.replace("replicas: 1", "replicas: 0"))
        running.up()
        running.write("models/all.yaml", GATEWAY.partition("---")[0])
        running.up()
        left = {item["metadata"]["name"] for item in objects(cluster, "apps/v1", "Deployment", "what-runs")}
        assert left == {"chat-kserve"}

    def test_a_stopped_model_may_go(self, running: Project, cluster: Cluster) -> None:
        running.write("models/chat.yaml", MODEL.replace("STOPPED", "true"))
        running.up()
        assert ready_pods(cluster, "what-runs") == {}
        running.write("models/chat.yaml", "# nothing any more\n")
        running.up()
        lift_and_destroy(running)


@contextmanager
def changed(project: Project, files: dict[str, str], config: dict[str, Any] | None = None) -> Iterator[None]:
    """Other model files and config for a while."""
    paths = [project.folder / f"Pulumi.{project.stack}.yaml", *(project.folder / "models" / file for file in files)]
    kept = {path: path.read_text() for path in paths}
    for file, text in files.items():
        project.write(f"models/{file}", text)
    project.configure(**(config or {}))
    try:
        yield
    finally:
        for path, text in kept.items():
            path.write_text(text)


def assert_refused(done: subprocess.CompletedProcess[str]) -> None:
    told = done.stdout + done.stderr
    assert "LOCO-PROTECTED" in told
    assert "LLMInferenceService/what-runs/chat still runs, and this update would remove it" in told
    assert 'serving.kserve.io/stop: "true"' in told


def snapshot(cluster: Cluster, namespace: str) -> dict[str, str]:
    """What stands there and in which version, of the kinds that a removal would take or change."""
    kinds = (("apps/v1", "Deployment"), ("v1", "Service"), ("v1", "ConfigMap"), ("v1", "Secret"))
    return {
        f"{kind}/{item['metadata']['name']}": item["metadata"]["uid"] + str(item["metadata"].get("generation"))
        for version, kind in kinds
        for item in objects(cluster, version, kind, namespace)
    }


def remembered(project: Project) -> dict[str, Any]:
    """What the state has: every resource, and what others read of the stack."""
    return {"resources": {each["urn"] for each in project.resources()}, "outputs": project.outputs()}
