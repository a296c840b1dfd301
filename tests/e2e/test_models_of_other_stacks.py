"""Models in two stacks and a gateway in a third, which builds its entries from their outputs (``modelsFrom``)."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project
from tests.e2e.events import steps

pytestmark = pytest.mark.e2e

MODEL = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: NAME}
spec:
  model: {uri: "hf://org/NAME", name: NAME}
  replicas: 1
"""
ROUTED = MODEL + "  router: {route: {}, scheduler: {}}\n"
GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, fallbacks: [{chat: [embed]}]}
"""
STAND_IN = """\
import pulumi

OUTPUTS = {"version": 1, "models": {}, "gateways": {}}
for name, value in (OUTPUTS | CHANGE).items():
    if value is not None:
        pulumi.export(name, value)
"""
INSIDE = "http://gw.infra.svc"


class Platform:
    """One project with the stacks a and b of models, and front with the gateway; and a stack of another program's."""

    def __init__(self, front: Project) -> None:
        self.front = front
        self.a, self.b = (self._models(stack) for stack in ("a", "b"))
        folder = front.folder / "other"
        self.other = Project(folder, front.environment, "prod")
        self.other.write("Pulumi.yaml", (front.folder / "Pulumi.yaml").read_text().replace("name: loco", "name: other"))
        self.other.write("__main__.py", STAND_IN.replace("CHANGE", "{}"))
        self.other.pulumi("stack", "init", "prod")

    def _models(self, stack: str) -> Project:
        project = Project(self.front.folder, self.front.environment, stack)
        project.write(f"Pulumi.{stack}.yaml", "config: {}\n")
        project.configure(
            files=[f"{stack}/*.yaml"],
            namespace=f"models-{stack}",
            cluster={"context": "loco-test", "identifier": "tests", "createNamespaces": True},
            platform={"gateway": {"name": "shared", "namespace": "infra", "internalURL": INSIDE}},
            deletionProtection=False,
        )
        project.pulumi("stack", "init", stack)
        return project

    def take(self, *sources: Any) -> None:
        self.front.configure(modelsFrom=list(sources))

    def refused(self) -> str:
        """What a preview of the gateway's stack says, which must fail."""
        done = self.front.preview(succeeds=False)
        return done.stdout + done.stderr


A, B, OTHER = "organization/loco/a", "organization/loco/b", "organization/other/prod"


@pytest.fixture(scope="module")
def platform(make_project: Callable[..., Project]) -> Platform:
    front = make_project({}, stack="front", files=["front/*.yaml"], namespace="front", deletionProtection=False)
    front.write("front/gateway.yaml", GATEWAY)
    platform = Platform(front)
    platform.a.write("a/chat.yaml", ROUTED.replace("NAME", "chat"))
    platform.b.write("b/embed.yaml", MODEL.replace("NAME", "embed"))
    platform.take(A, B)
    return platform


def entries(cluster: Cluster) -> dict[str, str]:
    """Name and base URL of every entry of the config that the gateway's pods mount."""
    (pods,) = objects(cluster, "apps/v1", "Deployment", "front")
    mounted = [v["configMap"]["name"] for v in pods["spec"]["template"]["spec"]["volumes"] if "configMap" in v]
    (held,) = (m for m in objects(cluster, "v1", "ConfigMap", "front") if m["metadata"]["name"] in mounted)
    config = yaml.safe_load(held["data"]["config.yaml"])
    return {entry["model_name"]: entry["litellm_params"]["api_base"] for entry in config["model_list"]}


def test_a_stack_that_is_not_there(platform: Platform) -> None:
    """The tests of this file stand in the order of a platform's life."""
    platform.take("organization/loco/never")
    print(said := platform.refused())
    assert "unknown stack" in said
    assert "organization/loco/never" in said


def test_a_stack_that_was_never_updated(platform: Platform) -> None:
    platform.take(OTHER, A)
    said = platform.refused()
    assert f"the outputs version and models and gateways of the stack {A} are missing" in said, "all at once"
    assert f"the outputs version and models and gateways of the stack {OTHER} are missing" in said
    assert "modelsFrom[0]" in said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("{'version': 2}", f"the output version of the stack {OTHER} is 2, and this loco knows 1"),
        ("{'models': {'x/old': {'name': 'old'}}}", f"the output models.x/old.upstream of the stack {OTHER} is missing"),
        ("{'models': pulumi.Output.secret({})}", f"the output models of the stack {OTHER} is a secret"),
    ],
)
def test_outputs_of_another_form(platform: Platform, change: str, told: str) -> None:
    platform.other.write("__main__.py", STAND_IN.replace("CHANGE", change))
    platform.other.up()
    platform.take(OTHER)
    assert told in platform.refused()


def test_entries_come_from_both_stacks(platform: Platform, cluster: Cluster) -> None:
    platform.take(A, B)
    platform.a.up()
    platform.b.up()
    engines = ready_pods(cluster, "models-a") | ready_pods(cluster, "models-b")
    platform.front.up()
    assert entries(cluster) == {
        "chat": f"{INSIDE}/models-a/chat/v1",
        "embed": "http://embed-kserve-workload-svc.models-b.svc.cluster.local:8000/v1",
    }
    assert len(ready_pods(cluster, "front")) == 1
    assert ready_pods(cluster, "models-a") | ready_pods(cluster, "models-b") == engines
    platform.front.preview("--expect-no-changes")


def test_a_new_model_appears_with_the_gateways_next_update(platform: Platform, cluster: Cluster) -> None:
    platform.b.write("b/rank.yaml", MODEL.replace("NAME", "rank"))
    platform.b.up()
    assert "rank" not in entries(cluster)
    changed = steps(platform.front.preview("--json").stdout)
    assert all(not {"delete", "replace"} & done for name, done in changed.items() if "config" not in name), changed
    assert any("Deployment" in name or "litellm" in name for name in changed)
    platform.front.up()
    assert "rank" in entries(cluster)


def test_a_model_goes_from_the_gateway_first(platform: Platform, cluster: Cluster) -> None:
    platform.take(A, {"stack": B, "exclude": ["models-b/rank"]})
    platform.front.up()
    assert "rank" not in entries(cluster)
    assert len(ready_pods(cluster, "models-b")) == 2, "requests under way end in peace"
    (platform.b.folder / "b/rank.yaml").unlink()
    platform.b.up()
    assert len(ready_pods(cluster, "models-b")) == 1
    told = platform.front.preview()
    assert "there is no model models-b/rank" in told.stdout + told.stderr
    platform.take(A, B)
    platform.front.preview("--expect-no-changes")


def test_the_same_model_in_two_stacks(platform: Platform) -> None:
    platform.other.write(
        "__main__.py",
        'import pulumi\n\nref = pulumi.StackReference("organization/loco/a")\n'
        'for name in ("version", "models", "gateways"):\n    pulumi.export(name, ref.require_output(name))\n',
    )
    platform.other.up()
    platform.take(A, B, OTHER)
    assert f"the stacks {A} and {OTHER} both have a model models-a/chat" in platform.refused()
    platform.take(A, B)


def test_a_program_reads_them_typed(platform: Platform) -> None:
    platform.other.write(
        "__main__.py",
        "import loco\nimport pulumi\n\n\nasync def main():\n"
        '    outputs = [await loco.stack_outputs("organization/loco/a") for _ in range(2)]\n'
        '    return {"served": sorted(outputs[1].models), "labels": outputs[0].models["models-a/chat"].labels}\n\n\n'
        "pulumi.run(main)\n",
    )
    platform.other.up()
    assert platform.other.outputs() == {"served": ["models-a/chat"], "labels": {}}


def test_a_program_that_has_not_awaited_them_is_refused(platform: Platform, cluster: Cluster) -> None:
    """Else the entries of all other stacks would go."""
    program = platform.front.folder / "__main__.py"
    kept = program.read_text()
    program.write_text(
        "import pulumi\nimport loco\n\n"
        f"config = {{'namespace': 'front', 'cluster': {{'context': 'loco-test', 'identifier': 'tests'}}, 'modelsFrom': ['{A}']}}\n"
        "gateway = {'apiVersion': 'locostack.com/v1alpha1', 'kind': 'LiteLLMGateway', 'metadata': {'name': 'main'}}\n"
        "loco.ModelServingStack('loco', loco.read_stack('.', config, stack='front', documents=[gateway]))\n"
    )
    assert f"the outputs of {A} were not given" in platform.refused()
    program.write_text(kept)
    assert set(entries(cluster)) == {"chat", "embed"}


def test_a_stack_that_was_taken_down(platform: Platform, cluster: Cluster) -> None:
    platform.b.pulumi("destroy", "--yes", "--skip-preview", "--stack", "b")
    assert f"the outputs version and models and gateways of the stack {B} are missing" in platform.refused()
    platform.take(A)
    assert "the fallback names embed, which the gateway doesn't serve" in platform.refused()
    assert set(entries(cluster)) == {"chat", "embed"}, "nothing was applied"
