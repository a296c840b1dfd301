"""Bad input on the real engine: exit status, code, file, line, path and cure; and nothing applied."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

GOOD = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec:
  model: {uri: "hf://org/tiny"}
"""
GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: gpt, url: "https://api.openai.com/v1"}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, masterKey: {secretRef: {name: own, key: key}}}
"""


@dataclass(frozen=True)
class Case:
    """What is written, and what must be said of it."""

    models: dict[str, str]
    says: tuple[str, ...]
    config: dict[str, Any] = field(default_factory=dict)


CASES = {
    "unknown key": Case(
        {"a.yaml": GOOD + "  replicaz: 2\n"},
        ("LOCO-UNKNOWN-KEY", "spec.replicaz", "models/a.yaml:6", "write replicas"),
    ),
    "wrong type": Case(
        {"a.yaml": GOOD + "  replicas: two\n"},
        ("LOCO-TYPE", "spec.replicas", "models/a.yaml:6", "a whole number", '"two"'),
    ),
    "not YAML": Case({"a.yaml": GOOD + "  template: [\n"}, ("LOCO-YAML", "models/a.yaml:7", "this is not YAML")),
    "duplicate document": Case(
        {"a.yaml": GOOD, "b.yaml": GOOD},
        ("LOCO-DUPLICATE", "models/b.yaml:1", "first at models/a.yaml:1"),
    ),
    "missing file": Case(
        {"a.yaml": GOOD},
        ("LOCO-FILE", "files[1]", "Pulumi.dev.yaml", "other/*.yaml"),
        {"files": ["models/*.yaml", "other/*.yaml"]},
    ),
    "unset config": Case(
        {"a.yaml": GOOD},
        ("LOCO-CONFIG", "cluster.context", "Pulumi.dev.yaml", "pulumi config set --path cluster.context"),
        {"cluster": {"createNamespaces": True}},
    ),
    "unknown config key": Case(
        {"a.yaml": GOOD}, ("LOCO-UNKNOWN-KEY", "profil", "Pulumi.dev.yaml", "write profile"), {"profil": "safe"}
    ),
    "unknown key of a pod": Case(
        {"a.yaml": GOOD + "  template:\n    containers:\n    - name: main\n      imagePullPolice: Always\n"},
        ("LOCO-UNKNOWN-KEY", "spec.template.containers[main].imagePullPolice", "models/a.yaml:9", "imagePullPolicy"),
    ),
    "a field that has no effect yet": Case(
        {"a.yaml": GOOD + "  router: {ingress: {}}\n"}, ("LOCO-UNSUPPORTED", "spec.router.ingress", "models/a.yaml:6")
    ),
    "all at once": Case(
        {"a.yaml": GOOD + "  replicaz: 2\n", "b.yaml": GOOD.replace("tiny}", "other}") + "  labels: {a: true}\n"},
        ("2 errors; nothing was applied", "models/a.yaml:6", "models/b.yaml:6", '"true" in quotes'),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_refused(name: str, make_project: Callable[..., Project]) -> None:
    case = CASES[name]
    project = make_project(case.models, **case.config)
    refused = project.up(succeeds=False)
    told = refused.stdout + refused.stderr
    assert [part for part in case.says if part not in told] == [], told
    assert "Traceback" not in told
    kinds = {resource["type"] for resource in project.resources()}
    assert kinds <= {"pulumi:pulumi:Stack"}, "nothing was applied"


def test_a_missing_namespace_is_told_by_the_preview(make_project: Callable[..., Project]) -> None:
    """Without this a preview is green, and the update fails half-way."""
    project = make_project({"a.yaml": GOOD}, cluster={"context": "loco-test", "identifier": "tests"})
    shown = project.preview()
    told = shown.stdout + shown.stderr
    assert "LOCO-MISSING" in told
    assert "createNamespaces: true" in told


def test_unreachable_cluster(make_project: Callable[..., Project]) -> None:
    """An update fails; a preview works and lists what it could not check."""
    project = make_project({"a.yaml": GOOD})
    unreachable(project)

    shown = project.preview()
    assert "LOCO-UNREACHABLE" in shown.stdout + shown.stderr
    assert "could not check" in shown.stdout + shown.stderr
    assert "tiny-kserve-workload-svc" in shown.stdout

    refused = project.up(succeeds=False)
    assert "nothing was applied" in refused.stdout + refused.stderr
    assert {resource["type"] for resource in project.resources()} <= {"pulumi:pulumi:Stack"}


def test_a_value_that_no_key_may_have(make_project: Callable[..., Project]) -> None:
    """The error comes while the run is young; one that ended before its hooks are registered would be lost."""
    project = make_project({"a.yaml": GATEWAY}, credentials={"own": {"key": {"config": "ownKey"}}})
    project.pulumi("config", "set", "--secret", "ownKey", "true", "--stack", "dev")
    unreachable(project)
    shown = project.preview(succeeds=False)
    told = shown.stdout + shown.stderr
    assert "LOCO-CREDENTIAL" in told, told
    assert "credentials.own.key" in told
    assert "signal" not in told


def unreachable(project: Project) -> None:
    """Nobody listens where its kubeconfig says."""
    kubeconfig = project.folder / "kubeconfig"
    kubeconfig.write_text(
        "apiVersion: v1\nkind: Config\n"
        'clusters: [{name: c, cluster: {server: "https://127.0.0.1:9"}}]\n'
        "contexts: [{name: loco-test, context: {cluster: c, user: u}}]\n"
        "users: [{name: u, user: {token: t}}]\n"
    )
    project.environment["KUBECONFIG"] = str(kubeconfig)
