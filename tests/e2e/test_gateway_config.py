"""A gateway's config on the real engine: it outlives the pods that read it, and rolls no others."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dev.cluster import Cluster
from tests.e2e.admission import allow, is_taken, refuse
from tests.e2e.cluster_facts import objects, pods_by_deployment
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

NAMESPACE = "gateway-config"
DOCUMENTS = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt, labels: {of: main}}
spec:
  provider: openai
  model: MODEL
  url: https://api.openai.com/v1
  auth:
    apiKey: {secretRef: {name: openai, key: token}}
    headers: [{name: X-Tenant, valueFrom: {secretKeyRef: {name: tenant, key: id}}}]
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: plain, labels: {of: other}}
spec: {provider: openai, model: m, url: "http://llm.example.com/v1"}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, models: {matchLabels: {of: main}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: other}
spec: {replicas: 1, models: {matchLabels: {of: other}}, masterKey: {secretRef: {name: keep, key: key}}}
"""
VALUES = {"openaiToken": "sk-openai-of-the-test", "tenantId": "tenant-of-the-test", "keepKey": "sk-keep-of-the-test"}
CREDENTIALS = {
    "openai": {"token": {"config": "openaiToken"}},
    "tenant": {"id": {"config": "tenantId"}},
    "keep": {"key": {"config": "keepKey"}},
}
POLICY = "no-updates"


@dataclass(frozen=True)
class Change:
    """One update: what the engine did, and the ready pods before and after."""

    events: list[dict[str, Any]]
    before: dict[str, set[str]]
    after: dict[str, set[str]]

    @property
    def rolled(self) -> set[str]:
        """The Deployments all of whose pods are new."""
        return {name for name, uids in self.after.items() if not uids & self.before[name]}


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project]) -> Project:
    project = make_project(
        {"all.yaml": DOCUMENTS.replace("MODEL", "first")}, namespace=NAMESPACE, credentials=CREDENTIALS
    )
    project.set_secrets(**VALUES)
    project.up()
    return project


@pytest.fixture(scope="module")
def shown(project: Project) -> str:
    """The preview of another config, for people."""
    project.write("models/all.yaml", DOCUMENTS.replace("MODEL", "second"))
    return project.preview("--diff").stdout


@pytest.fixture(scope="module")
def other_config(shown: str, project: Project, cluster: Cluster) -> Change:
    return changed(project, cluster)


def changed(project: Project, cluster: Cluster) -> Change:
    before = pods_by_deployment(cluster, NAMESPACE)
    events = project.events("up")
    return Change(events, before, pods_by_deployment(cluster, NAMESPACE))


def configs(cluster: Cluster, gateway: str = "main") -> dict[str, Any]:
    return {
        item["metadata"]["name"]: item
        for item in objects(cluster, "v1", "ConfigMap", NAMESPACE)
        if item["metadata"]["name"].startswith(f"{gateway}-litellm-config")
    }


def template(cluster: Cluster, gateway: str = "main") -> dict[str, Any]:
    (found,) = (
        item
        for item in objects(cluster, "apps/v1", "Deployment", NAMESPACE)
        if item["metadata"]["name"] == f"{gateway}-litellm"
    )
    pods: dict[str, Any] = found["spec"]["template"]
    return pods


def mounted(cluster: Cluster) -> str:
    (volume,) = (volume for volume in template(cluster)["spec"]["volumes"] if volume["name"] == "config")
    return str(volume["configMap"]["name"])


class TestConfig:
    def test_preview_shows_which_setting_changes(self, shown: str) -> None:
        assert re.search(r"config\.yaml: \(yaml\) \{", shown)
        assert re.search(r'~ model\s*: "openai/first" => "openai/second"', shown)

    def test_the_old_one_outlives_the_roll(self, other_config: Change) -> None:
        order = [
            (event["resOutputsEvent"]["metadata"]["op"], event["resOutputsEvent"]["metadata"]["urn"])
            for event in other_config.events
            if "resOutputsEvent" in event
        ]
        config = [op for op, urn in order if urn.endswith("::main-litellm-config.gateway-config") and op != "same"]
        assert config == ["create-replacement", "replace", "delete-replaced"]
        places = {op: number for number, (op, urn) in enumerate(order) if "::main-litellm-config." in urn}
        update = order.index(next(each for each in order if each[0] == "update" and each[1].endswith("/main-litellm")))
        assert places["create-replacement"] < update < places["delete-replaced"]

    def test_pods_mount_the_one_that_their_annotation_names(self, other_config: Change, cluster: Cluster) -> None:
        assert other_config.rolled == {"main-litellm"}
        ((name, config),) = configs(cluster).items()
        assert mounted(cluster) == name
        digest = template(cluster)["metadata"]["annotations"]["locostack.com/digest.config"]
        assert config["metadata"]["annotations"]["hash"].startswith(digest)
        assert config["immutable"] is True

    def test_nothing_is_left_to_do(self, other_config: Change, project: Project) -> None:
        project.preview("--expect-no-changes")

    def test_going_back_after_a_failure(self, other_config: Change, project: Project, cluster: Cluster) -> None:
        """The engine has yet to delete the first config then; it must not take the one that is in use again."""
        before = mounted(cluster)
        refuse_updates(cluster)
        project.write("models/all.yaml", DOCUMENTS.replace("MODEL", "third"))
        project.up(succeeds=False)
        assert before in configs(cluster), "for pods that restart meanwhile"
        assert mounted(cluster) == before
        allow_updates(cluster)
        project.write("models/all.yaml", DOCUMENTS.replace("MODEL", "second"))
        project.up()
        assert list(configs(cluster)) == [mounted(cluster)]
        assert "openai/second" in configs(cluster)[mounted(cluster)]["data"]["config.yaml"]
        project.preview("--expect-no-changes", "--refresh")


def refuse_updates(cluster: Cluster) -> None:
    """As a policy of the platform's might: the API server takes no update of a Deployment here."""
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["deployments"]}
    refuse(cluster, POLICY, NAMESPACE, {"resourceRules": [rule]}, lambda: can_update(cluster))


def allow_updates(cluster: Cluster) -> None:
    allow(cluster, POLICY, lambda: can_update(cluster))


def can_update(cluster: Cluster) -> bool:
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/main-litellm?dryRun=All"
    body = {"metadata": {"labels": {"tried": "yes"}}}
    return is_taken(cluster, POLICY, "PATCH", path, body, "application/merge-patch+json")
