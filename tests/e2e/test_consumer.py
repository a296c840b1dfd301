"""Another project reads the outputs of a stack and the key's Secret, and follows when the key becomes another."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project
from tests.e2e.examples import example

pytestmark = pytest.mark.e2e

NAMESPACE, APPLICATION = "serving-stack", "consuming-stack"
DOCUMENTS = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec: {model: {uri: "hf://org/tiny", name: org/tiny}, replicas: 1}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1}
"""
OUTPUTS = """\
import json
import pulumi

for name, value in json.load(open("outputs.json")).items():
    pulumi.export(name, value)
"""


@dataclass(frozen=True)
class Both:
    serving: Project
    consumer: Project


@pytest.fixture(scope="module")
def both(make_project: Callable[..., Project]) -> Both:
    serving = make_project({"all.yaml": DOCUMENTS}, namespace=NAMESPACE)
    consumer = example(
        "consumer",
        serving,
        gateway=f"{NAMESPACE}/main",
        model=f"{NAMESPACE}/tiny",
        context="loco-test",
        clusterIdentifier="tests",
        namespace=APPLICATION,
    )
    serving.up()
    consumer.up()
    return Both(serving, consumer)


def key_in(cluster: Cluster, namespace: str, name: str, key: str) -> str:
    (secret,) = [item for item in objects(cluster, "v1", "Secret", namespace) if item["metadata"]["name"] == name]
    return base64.b64decode(secret["data"][key]).decode()


def master_key(cluster: Cluster) -> str:
    return key_in(cluster, NAMESPACE, "main-litellm-master-key", "master-key")


def test_the_application_is_told_where_and_with_which_key(both: Both, cluster: Cluster) -> None:
    (deployment,) = objects(cluster, "apps/v1", "Deployment", APPLICATION)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    environment = {entry["name"]: entry for entry in container["env"]}
    assert environment["OPENAI_BASE_URL"]["value"] == f"http://main-litellm.{NAMESPACE}.svc.cluster.local:4000/v1"
    assert environment["MODEL"]["value"] == "org/tiny"
    reference = environment["OPENAI_API_KEY"]["valueFrom"]["secretKeyRef"]
    assert key_in(cluster, APPLICATION, reference["name"], reference["key"]) == master_key(cluster)
    assert len(ready_pods(cluster, APPLICATION)) == 1
    both.consumer.preview("--expect-no-changes")


def test_a_rotated_key_starts_new_pods_with_the_consumers_update(both: Both, cluster: Cluster) -> None:
    before, first = ready_pods(cluster, APPLICATION), master_key(cluster)
    both.serving.configure(rotation={"masterKeys": "another"})
    both.serving.up()
    assert master_key(cluster) != first
    assert ready_pods(cluster, APPLICATION) == before, "nothing but its own update changes the application"

    shown = both.consumer.preview("--diff").stdout
    assert "example.com/digest.gateway-key" in shown
    both.consumer.up()
    assert key_in(cluster, APPLICATION, "chat", "key") == master_key(cluster)
    assert not before.keys() & ready_pods(cluster, APPLICATION).keys()
    both.consumer.preview("--expect-no-changes")

    for value in (first, master_key(cluster)):
        for form in (value, base64.b64encode(value.encode()).decode().rstrip("=")):
            assert form not in both.consumer.raw_state() + both.serving.raw_state() + shown


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ({}, "the stack organization/other/dev has no output version"),
        ({"version": 1, "models": {}}, "the stack organization/other/dev has no output gateways"),
        ({"version": 0, "gateways": {}, "models": {}}, "the output version of the stack organization/other/dev is 0"),
        ({"version": 2, "gateways": {}, "models": {}}, "the output version of the stack organization/other/dev is 2"),
        (
            {"version": 1, "gateways": {"a/b": {}}, "models": {}},
            f"the output gateways of the stack organization/other/dev has no {NAMESPACE}/main; there is a/b",
        ),
    ],
    ids=["nothing", "a missing one", "older", "newer", "another gateway"],
)
def test_what_is_missing_is_named_with_its_stack(outputs: dict[str, object], told: str, both: Both) -> None:
    other = both.serving.folder / "other"
    if not other.exists():
        other.mkdir()
        (other / "Pulumi.yaml").write_text(
            (both.serving.folder / "Pulumi.yaml").read_text().replace("name: loco", "name: other")
        )
        (other / "__main__.py").write_text(OUTPUTS)
        Project(other, both.serving.environment, "dev").pulumi("stack", "init", "dev")
    (other / "outputs.json").write_text(json.dumps(outputs))
    Project(other, both.serving.environment, "dev").up()
    settings = both.consumer.folder / "Pulumi.dev.yaml"
    kept = settings.read_text()
    settings.write_text(kept.replace("organization/loco/dev", "organization/other/dev"))
    try:
        refused = both.consumer.preview(succeeds=False)
        assert told in refused.stdout + refused.stderr
    finally:
        settings.write_text(kept)


def test_a_destroy_takes_the_application_alone(both: Both, cluster: Cluster) -> None:
    both.consumer.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert both.consumer.resources() == []
    assert master_key(cluster), "the gateway's own Secret was read, and stays"
