"""``platform.from``: another stack's values, awaited before planning; and what is said where they aren't there."""

from collections.abc import Callable

import pytest

from tests.e2e.conftest import Project

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
    other = Project(platform, project.environment, "prod")
    other.pulumi("stack", "init", "prod")
    project.platform = other  # type: ignore[attr-defined]
    return project


def test_values_are_awaited_and_planned_with(project: Project) -> None:
    refused = project.preview(succeeds=False)
    assert "LOCO-REFERENCE" in refused.stdout + refused.stderr
    assert "the output platform of the stack organization/platform/prod isn't there" in refused.stdout + refused.stderr

    project.platform.up()  # type: ignore[attr-defined]
    shown = project.preview("--diff")
    assert 'name     : "shared"' in shown.stdout
    assert 'namespace: "infra"' in shown.stdout


def test_the_configs_own_values_win(project: Project) -> None:
    project.platform.up()  # type: ignore[attr-defined]
    project.configure(platform={"from": "organization/platform/prod", "gateway": {"name": "own"}})
    shown = project.preview("--diff")
    assert 'name     : "own"' in shown.stdout
    assert 'namespace: "infra"' in shown.stdout
