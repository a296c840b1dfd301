"""A program of one's own: documents as dicts, a provider of its own, credentials as values, two namespaces."""

from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

PROGRAM = """\
import pulumi
from loco import ModelServingStack, make_provider, read_stack


def service(namespace):
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "tiny", "namespace": namespace},
        "spec": {"model": {"uri": "hf://org/tiny"}, "replicas": 1},
    }


external = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "ExternalModel",
    "metadata": {"name": "gpt", "namespace": "program-a"},
    "spec": {
        "provider": "openai",
        "model": "gpt-4o-mini",
        "url": "https://api.openai.com/v1",
        "auth": {"bearerToken": {"name": "openai", "key": "token"}},
    },
}
gateway = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "LiteLLMGateway",
    "metadata": {"name": "main", "namespace": "program-b"},
    "spec": {"replicas": 1},
}
spec = read_stack(
    ".",
    {"cluster": {"createNamespaces": True}, "credentials": {"openai": {"token": {"config": "key"}}}},
    documents=[*map(service, ("program-a", "program-b")), external, gateway],
    secrets=["key"],
)
provider = make_provider("mine", context="loco-test")
stack = ModelServingStack(
    "mine",
    spec,
    credentials={"key": pulumi.Output.secret("sk-of-the-program")},
    opts=pulumi.ResourceOptions(provider=provider),
)
pulumi.export("models", sorted(stack.outputs["models"]))
"""


def test_life_of_a_program(make_project: Callable[..., Project], cluster: Cluster) -> None:
    project = make_project({})
    project.write("__main__.py", PROGRAM)
    done = project.up()
    assert "LOCO-PROVIDER" not in done.stdout + done.stderr
    assert project.outputs()["models"] == ["program-a/tiny", "program-b/tiny"]
    assert len(ready_pods(cluster, "program-a")) == 1
    assert len(ready_pods(cluster, "program-b")) == 2
    made = {item["metadata"]["name"] for item in objects(cluster, "v1", "Secret", "program-b")}
    assert made == {"openai", "main-litellm-master-key"}, "a credential stands where the gateway that uses it does"
    assert objects(cluster, "v1", "Secret", "program-a") == []
    assert "sk-of-the-program" not in project.raw_state() + done.stdout
    project.preview("--expect-no-changes")
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
