"""A program of one's own: documents as dicts, a provider of its own, credentials as values, two namespaces."""

import json
from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project
from tests.e2e.events import steps
from tests.e2e.examples import example

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
pulumi.export("models", sorted(stack.plan.outputs["models"]))
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


COMPANY = 'company = pulumi.ComponentResource("example:index:Company", "company")\n'
AT_THE_ROOT = "pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)"


class TestTheExample:
    """Two teams in a loop, and what another name of one of them changes: nothing."""

    def test_each_team_has_a_namespace_and_a_gateway(self, program: Project, cluster: Cluster) -> None:
        assert sorted(program.outputs()["teams"]) == ["search", "support"]
        for namespace, models in (("llm-search", {"embed", "rank"}), ("llm-support", {"chat"})):
            names = {item["metadata"]["name"] for item in objects(cluster, "apps/v1", "Deployment", namespace)}
            assert names == {"main-litellm", *(f"{m}-kserve{end}" for m in models for end in ("", "-router-scheduler"))}
        program.preview("--expect-no-changes")

    def test_a_team_of_another_name(self, program: Project, cluster: Cluster) -> None:
        pods = ready_pods(cluster, "llm-search")
        text = (program.folder / "__main__.py").read_text()
        renamed = text.replace('"search",', '"discovery",')
        program.write("__main__.py", renamed)
        assert steps(program.preview("--json").stdout), "without an alias something would change"

        aliased = renamed.replace(
            "formerly: Sequence[str] = field(default=())", 'formerly: Sequence[str] = ("search",)'
        )
        assert aliased != renamed
        program.write("__main__.py", aliased)
        before = {each["urn"]: each.get("id") for each in program.resources()}
        program.preview("--expect-no-changes")
        program.up()
        after = {each["urn"]: each.get("id") for each in program.resources()}
        moved = {urn.replace("models-search", "models-discovery"): known for urn, known in before.items()}
        assert after == moved
        assert any("models-discovery" in urn for urn in after)
        assert ready_pods(cluster, "llm-search") == pods
        program.preview("--expect-no-changes")

    def test_a_component_of_ones_own_around_it(self, program: Project) -> None:
        text = (program.folder / "__main__.py").read_text()
        around = text.replace("stacks = {", f"{COMPANY}stacks = {{", 1)
        moved = around.replace("aliases=[", f"parent=company, aliases=[{AT_THE_ROOT}, *[")
        moved = moved.replace("in team.formerly]", "in team.formerly]]")
        assert moved != around != text
        program.write("__main__.py", moved)
        shown = json.loads(program.preview("--json").stdout)["changeSummary"]
        assert shown.keys() == {"create", "same"}
        assert shown["create"] == 1, "the component alone"
        program.write("__main__.py", text)

    def test_a_destroy_leaves_nothing(self, program: Project) -> None:
        program.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
        assert program.resources() == []


@pytest.fixture(scope="module")
def program(make_project: Callable[..., Project]) -> Project:
    program = example("program", make_project({}), context="loco-test")
    program.pulumi("config", "set", "--secret", "openaiToken", "sk-of-the-example", "--stack", "dev")
    program.up()
    return program
