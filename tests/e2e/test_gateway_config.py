"""Gateways on the real engine: a config that outlives the pods that read it, and secrets that roll their readers alone."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Refused
from tests.e2e.cluster_facts import objects, ready_pods, wait_until
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
REFUSAL = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/no-updates"
REFUSAL_BINDING = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/no-updates"


@dataclass(frozen=True)
class Change:
    """One update: what the preview announced, what the engine did, and the ready pods before and after."""

    steps: dict[str, list[str]]
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
    for name, value in VALUES.items():
        set_secret(project, name, value)
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


def set_secret(project: Project, name: str, value: str) -> None:
    project.pulumi("config", "set", "--secret", name, value, "--stack", project.stack)


def changed(project: Project, cluster: Cluster) -> Change:
    before = by_deployment(cluster)
    steps = {
        step["urn"].rpartition("::")[2]: sorted(step.get("detailedDiff") or {})
        for step in json.loads(project.preview("--json").stdout)["steps"]
        if step["op"] in ("update", "replace")
    }
    events = project.events("up")
    return Change(steps, events, before, by_deployment(cluster))


def by_deployment(cluster: Cluster) -> dict[str, set[str]]:
    pods: dict[str, set[str]] = {}
    for name, uid in ready_pods(cluster, NAMESPACE).items():
        pods.setdefault(name.rsplit("-", 2)[0], set()).add(uid)
    return pods


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


@pytest.mark.usefixtures("other_config")
class TestRotation:
    @pytest.mark.parametrize(
        ("name", "value", "secret"),
        [("openaiToken", "sk-openai-again", "openai"), ("tenantId", "tenant-again", "tenant")],
    )
    def test_of_a_credential(self, name: str, value: str, secret: str, project: Project, cluster: Cluster) -> None:
        set_secret(project, name, value)
        change = changed(project, cluster)
        assert change.rolled == {"main-litellm"}
        assert change.steps.pop(f"main/{NAMESPACE}/main-litellm") == digests("configHash", f"digest.{secret}")
        assert list(change.steps) == [f"stack/{NAMESPACE}/{secret}"]

    def test_of_the_master_key(self, project: Project, cluster: Cluster) -> None:
        before = secret_values(cluster)
        project.configure(rotation={"masterKeys": "2026-12"})
        change = changed(project, cluster)
        after = secret_values(cluster)
        assert change.rolled == {"main-litellm"}
        assert change.steps[f"main/{NAMESPACE}/main-litellm"] == digests("configHash", "digest.master-key")
        different = {key for key in before if before[key] != after[key]}
        assert different == {("main-litellm-master-key", "master-key")}
        project.preview("--expect-no-changes")

    def test_no_secret_is_anywhere_but_in_its_secret(self, project: Project, cluster: Cluster) -> None:
        plain = [
            json.dumps(item)
            for kind in ("ConfigMap", "Pod", "Service")
            for item in objects(cluster, "v1", kind, NAMESPACE)
        ] + [json.dumps(item) for item in objects(cluster, "apps/v1", "Deployment", NAMESPACE)]
        places = {
            "the outputs": json.dumps(project.outputs()),
            "the raw state": project.raw_state(),
            "the cluster's plain objects": "\n".join(plain),
            "a preview": project.preview("--diff").stdout,
        }
        values = {*secret_values(cluster).values(), *VALUES.values()}
        assert len(values) > 4
        for value in values:
            for form in (value, base64.b64encode(value.encode()).decode().rstrip("=")):
                assert [place for place, text in places.items() if form in text] == []


def digests(*names: str) -> list[str]:
    return [f'spec.template.metadata.annotations["locostack.com/{name}"]' for name in names]


def secret_values(cluster: Cluster) -> dict[tuple[str, str], str]:
    return {
        (item["metadata"]["name"], key): base64.b64decode(value).decode()
        for item in objects(cluster, "v1", "Secret", NAMESPACE)
        for key, value in item["data"].items()
    }


def refuse_updates(cluster: Cluster) -> None:
    """As a policy of the platform's might: the API server takes no update of a Deployment here."""
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["deployments"]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]}
    where = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}}}
    binding = {"policyName": "no-updates", "validationActions": ["Deny"], "matchResources": where}
    for path, kind, content in (
        (REFUSAL, "ValidatingAdmissionPolicy", spec),
        (REFUSAL_BINDING, "ValidatingAdmissionPolicyBinding", binding),
    ):
        group = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "no-updates"}}
        cluster.client().apply(path, json.dumps({**group, "spec": content}).encode())
    wait_until(lambda: not can_update(cluster))


def allow_updates(cluster: Cluster) -> None:
    for path in (REFUSAL_BINDING, REFUSAL):
        cluster.client().call("DELETE", path)
    wait_until(lambda: can_update(cluster))


def can_update(cluster: Cluster) -> bool:
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/main-litellm?dryRun=All"
    body = json.dumps({"metadata": {"labels": {"tried": "yes"}}}).encode()
    try:
        cluster.client().call("PATCH", path, body, "application/merge-patch+json")
    except Refused as refused:
        if "no-updates" not in str(refused):
            raise
        return False
    return True
