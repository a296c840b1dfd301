"""``platform.from``: another stack's values, awaited before planning; and what is said where they aren't there."""

from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects
from tests.e2e.conftest import Project
from tests.e2e.examples import example

pytestmark = pytest.mark.e2e

MODEL = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec:
  model: {uri: "hf://org/tiny"}
  router: {route: {}}
"""
PLATFORM = """\
import pulumi

pulumi.export("platform", {"gateway": {"name": "shared", "namespace": "infra", "url": "http://x"}, "spareGpus": 5})
"""


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    """A project whose platform stack stands in the same backend."""
    project = make_project({"tiny.yaml": MODEL}, platform={"from": "organization/platform/prod"})
    platform = project.folder / "platform"
    platform.mkdir()
    (platform / "__main__.py").write_text(PLATFORM)
    (platform / "Pulumi.yaml").write_text(
        (project.folder / "Pulumi.yaml").read_text().replace("name: loco", "name: platform")
    )
    project.platform = Project(platform, project.environment, "prod")  # type: ignore[attr-defined]
    return project


def test_values_are_awaited_and_planned_with(project: Project) -> None:
    for config in ({"platform": {"from": "platform/prod"}}, {"platform": {}, "modelsFrom": ["platform/prod"]}):
        project.configure(**config)
        refused = project.preview(succeeds=False)
        told = refused.stdout + refused.stderr
        assert "LOCO-REFERENCE" in told
        assert "organization/platform/prod" in told
        assert "organization name must be" not in told
    project.configure(platform={"from": "organization/platform/prod"}, modelsFrom=[])

    refused = project.preview(succeeds=False)
    assert 'unknown stack "organization/platform/prod"' in refused.stdout + refused.stderr
    assert "(platform.from/organization/platform/prod)" in refused.stdout + refused.stderr

    project.platform.pulumi("stack", "init", "prod")  # type: ignore[attr-defined]
    refused = project.preview(succeeds=False)
    assert "LOCO-REFERENCE" in refused.stdout + refused.stderr
    assert "the output platform of the stack organization/platform/prod isn't there" in refused.stdout + refused.stderr

    project.platform.up()  # type: ignore[attr-defined]
    shown = project.preview("--diff")
    assert 'name     : "shared"' in shown.stdout
    assert 'namespace: "infra"' in shown.stdout


def test_the_configs_own_values_win(project: Project) -> None:
    project.platform.pulumi("stack", "init", "prod")  # type: ignore[attr-defined]
    project.platform.up()  # type: ignore[attr-defined]
    project.configure(platform={"from": "organization/platform/prod", "gateway": {"name": "own"}})
    shown = project.preview("--diff")
    assert 'name     : "own"' in shown.stdout
    assert 'namespace: "infra"' in shown.stdout


def test_a_stack_of_another_time_is_named_with_the_key(project: Project) -> None:
    (project.folder / "platform/__main__.py").write_text(PLATFORM.replace("spareGpus", "sparePods"))
    project.platform.pulumi("stack", "init", "prod")  # type: ignore[attr-defined]
    project.platform.up()  # type: ignore[attr-defined]
    refused = project.preview(succeeds=False)
    told = refused.stdout + refused.stderr
    assert "at platform.sparePods in the output platform of organization/platform/prod" in told
    assert "nothing was applied" in told


def test_the_example_of_a_platform(make_project: Callable[..., Project], cluster: Cluster) -> None:
    project = make_project(
        {"tiny.yaml": MODEL}, namespace="on-a-platform", platform={"from": "organization/platform/dev"}
    )
    platform = example("platform", project, context="loco-test", clusterIdentifier="tests", namespace="the-platform")
    platform.preview()
    platform.up()
    (gateway,) = objects(cluster, "gateway.networking.k8s.io/v1", "Gateway", "the-platform")
    project.up()
    (route,) = objects(cluster, "gateway.networking.k8s.io/v1", "HTTPRoute", "on-a-platform")
    (parent,) = route["spec"]["parentRefs"]
    assert (parent["namespace"], parent["name"]) == ("the-platform", gateway["metadata"]["name"])
    assert gateway["spec"]["listeners"][0]["allowedRoutes"]["namespaces"]["from"] == "All"
    assert project.outputs()["models"]["on-a-platform/tiny"]["url"] == "http://llm.example.com/on-a-platform/tiny"
    assert len(objects(cluster, "networking.k8s.io/v1", "NetworkPolicy", "on-a-platform")) == 1, "the peers are known"
    project.preview("--expect-no-changes")
    platform.preview("--expect-no-changes")
    for each in (project, platform):
        each.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
