"""The component package on the real engine, from a program in Pulumi's YAML: the same stack as from Python."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from dev.toolchain.table import PULUMI_YAML
from dev.toolchain.tools import ensure
from loco.components.package_schema import OUTPUTS, TOKEN, schema
from loco.plan import plan_stack
from loco.spec import read_stack
from tests.conftest import REPOSITORY
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

NAMESPACE = "package"
KEY = "sk-of-the-package"
CONFIG: dict[str, Any] = {
    "namespace": NAMESPACE,
    "cluster": {"context": "loco-test", "identifier": "tests", "createNamespaces": True},
    "credentials": {"openai": {"token": {"config": "openaiToken"}}},
    "deletionProtection": True,
    "overrides": {"LLMInferenceService/tiny": {"spec": {"replicas": 2}}},
}
MODEL: dict[str, Any] = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "tiny"},
    "spec": {"model": {"uri": "hf://org/tiny"}, "template": {"terminationGracePeriodSeconds": 45}},
}
EXTERNAL: dict[str, Any] = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "ExternalModel",
    "metadata": {"name": "gpt"},
    "spec": {
        "provider": "openai",
        "model": "gpt-4o-mini",
        "url": "https://api.openai.com/v1",
        "auth": {"apiKey": {"secretRef": {"name": "openai", "key": "token"}}},
    },
}
GATEWAY: dict[str, Any] = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "LiteLLMGateway",
    "metadata": {"name": "main"},
    "spec": {"replicas": 1},
}
DOCUMENTS = [MODEL, EXTERNAL, GATEWAY]
CREDENTIALS = {"openaiToken": "${openaiToken}"}
PYTHON = """\
import json

import pulumi

from loco import ModelServingStack, read_stack

given = json.load(open("given.json"))
spec = read_stack(".", given["config"], stack=pulumi.get_stack(), documents=given["documents"], secrets=["openaiToken"])
credentials = {"openaiToken": pulumi.Config().require_secret("openaiToken")}
for name, value in ModelServingStack("serving", spec, credentials).outputs.items():
    pulumi.export(name, value)
"""


def program(
    package: Path,
    documents: list[Any] = DOCUMENTS,
    config: Mapping[str, Any] = CONFIG,
    credentials: Mapping[str, str] = CREDENTIALS,
    resources: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """A YAML program of one stack and further resources."""
    serving = {
        "type": "loco:ModelServingStack",
        "properties": {"documents": documents, "config": dict(config), "credentials": dict(credentials)},
    }
    written = {
        "name": "loco",
        "runtime": "yaml",
        "packages": {"loco": str(package)},
        "config": {"openaiToken": {"type": "string", "secret": True}},
        "resources": {"serving": serving, **resources},
        "outputs": {name: f"${{serving.{name}}}" for name in OUTPUTS},
    }
    return json.dumps(written)  # which is YAML, and has no anchors


def told(findings: Any) -> list[str]:
    """Each line of the findings."""
    return [line.strip() for finding in findings for line in str(finding).splitlines()]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder, with the interpreter of the tests."""
    folder = tmp_path_factory.mktemp("package") / "loco"
    left = shutil.ignore_patterns("__pycache__", "requirements.txt")  # nothing is to be installed
    shutil.copytree(REPOSITORY / "package", folder, ignore=left)
    plugin = yaml.safe_load((folder / "PulumiPlugin.yaml").read_text())
    plugin["runtime"]["options"]["virtualenv"] = sys.prefix
    (folder / "PulumiPlugin.yaml").write_text(yaml.safe_dump(plugin))
    return folder


@pytest.fixture(scope="module")
def make_yaml(make_project: Callable[..., Project], package: Path) -> Callable[..., Project]:
    """Makes a project of the YAML program."""
    host = ensure((PULUMI_YAML,)).program("pulumi-language-yaml").parent

    def make(*arguments: Any, **options: Any) -> Project:
        project = make_project({})
        project.environment["PATH"] = f"{host}{os.pathsep}{project.environment['PATH']}"
        project.environment["VIRTUAL_ENV"] = sys.prefix  # where this project's Python host finds its SDK
        (project.folder / "__main__.py").unlink()
        config = yaml.safe_load((project.folder / "Pulumi.dev.yaml").read_text())
        config["config"] = {}
        project.write("Pulumi.dev.yaml", yaml.safe_dump(config))
        project.write("Pulumi.yaml", program(package, *arguments, **options))
        project.set_secrets(openaiToken=KEY)
        return project

    return make


@pytest.fixture(scope="module")
def project(make_yaml: Callable[..., Project]) -> Project:
    project = make_yaml()
    done = project.up()
    assert KEY not in done.stdout + done.stderr
    return project


class TestLife:
    def test_schema(self, project: Project, package: Path) -> None:
        shown = json.loads(project.pulumi("package", "get-schema", str(package)).stdout)
        assert shown["name"] == "loco"
        (component,) = shown["resources"].values()
        assert component["isComponent"]
        assert component["inputProperties"] == schema()["resources"][TOKEN]["inputProperties"]

    def test_outputs_are_the_plans(self, project: Project) -> None:
        spec = read_stack(".", CONFIG, documents=DOCUMENTS, secrets=["openaiToken"])
        planned = plan_stack(spec).outputs
        assert sorted(planned["models"]) == [f"{NAMESPACE}/tiny"]
        assert sorted(planned["gateways"]) == [f"{NAMESPACE}/main"]
        assert project.outputs() == json.loads(json.dumps(planned))

    def test_pods_run(self, project: Project, cluster: Cluster) -> None:
        assert len(ready_pods(cluster, NAMESPACE)) == 3

    def test_secrets_are_in_secrets_alone(self, project: Project, cluster: Cluster) -> None:
        assert KEY not in project.raw_state()
        config_maps = json.dumps(objects(cluster, "v1", "ConfigMap", NAMESPACE))
        assert "os.environ" in config_maps
        assert KEY not in config_maps
        made = {item["metadata"]["name"] for item in objects(cluster, "v1", "Secret", NAMESPACE)}
        assert made == {"openai", "main-litellm-master-key"}

    def test_nothing_changes_without_a_change(self, project: Project) -> None:
        project.preview("--expect-no-changes")

    def test_another_value_rolls_the_gateway(self, project: Project) -> None:
        project.set_secrets(openaiToken="sk-another")
        shown = json.loads(project.preview("--json").stdout)
        changed = {step["urn"].rpartition("::")[2] for step in shown["steps"] if step["op"] == "update"}
        assert changed == {f"stack/{NAMESPACE}/openai", f"main/{NAMESPACE}/main-litellm"}
        project.set_secrets(openaiToken=KEY)

    def test_another_cluster_is_refused(self, project: Project, package: Path) -> None:
        other = {**CONFIG, "cluster": {**CONFIG["cluster"], "identifier": "another"}}
        project.write("Pulumi.yaml", program(package, config=other))
        refused = project.preview(succeeds=False)
        project.write("Pulumi.yaml", program(package))
        told_at_once = "has a problem: error[LOCO-CLUSTER]: this stack lives on the cluster tests"
        assert told_at_once in refused.stdout + refused.stderr

    def test_what_runs_is_not_removed(self, project: Project, package: Path) -> None:
        """What the engine asks the package in the middle of an update is answered as by a program."""
        project.write("Pulumi.yaml", program(package, [MODEL]))
        refused = project.preview(succeeds=False)
        project.write("Pulumi.yaml", program(package))
        assert f"error[LOCO-PROTECTED]: LiteLLMGateway/{NAMESPACE}/main" in refused.stdout + refused.stderr

    def test_the_same_stack_from_python_changes_nothing(self, project: Project, package: Path) -> None:
        """Every URN and every property is the same, so that a stack may go from one language to another."""
        runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
        project.write("Pulumi.yaml", yaml.safe_dump({"name": "loco", "runtime": runtime}))
        project.write("__main__.py", PYTHON)
        project.write("given.json", json.dumps({"documents": DOCUMENTS, "config": CONFIG}))
        shown = project.preview("--expect-no-changes").stdout
        ours = [resource for resource in project.resources() if "::default" not in resource["urn"]]
        assert f" {len(ours)} unchanged" in shown
        project.write("Pulumi.yaml", program(package))
        (project.folder / "__main__.py").unlink()

    def test_destroyed(self, project: Project, package: Path, cluster: Cluster) -> None:
        project.write("Pulumi.yaml", program(package, config={**CONFIG, "deletionProtection": False}))
        project.up()
        project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
        assert objects(cluster, "apps/v1", "Deployment", NAMESPACE) == []


def test_bad_documents_are_told_as_from_python(make_yaml: Callable[..., Project]) -> None:
    bad = [{**MODEL, "spec": {**MODEL["spec"], "replicaz": 2}}, EXTERNAL, {**GATEWAY, "spec": {"replicas": "two"}}]
    findings = plan_stack(read_stack(".", CONFIG, documents=bad, secrets=["openaiToken"])).findings
    assert {finding.code for finding in findings} >= {"LOCO-UNKNOWN-KEY", "LOCO-TYPE"}
    project = make_yaml(bad)
    refused = project.up(succeeds=False)
    shown = [line.strip() for line in (refused.stdout + refused.stderr).splitlines()]
    assert [line for line in told(findings) if line not in shown] == []
    assert any("documents[2] (service)" in line for line in shown)
    assert "Traceback" not in refused.stdout + refused.stderr
    assert {resource["type"] for resource in project.resources()} <= {"pulumi:pulumi:Stack", "pulumi:providers:loco"}


def test_secret_and_unknown_values_are_refused(make_yaml: Callable[..., Project]) -> None:
    """Both would end in objects that everybody may read, or in none."""
    documents = [MODEL, {**EXTERNAL, "spec": {**EXTERNAL["spec"], "model": "${openaiToken}"}}, GATEWAY]
    documents[2] = {**GATEWAY, "metadata": {"name": "main", "labels": {"id": "${other.id}"}}}
    kubernetes = {"type": "pulumi:providers:kubernetes", "properties": {"context": "loco-test"}}
    other = {"type": "kubernetes:core/v1:ConfigMap", "options": {"provider": "${k8s}"}}
    project = make_yaml(
        documents, {**CONFIG, "namespace": "${openaiToken}"}, resources={"k8s": kubernetes, "other": other}
    )
    refused = project.preview(succeeds=False)
    text = refused.stdout + refused.stderr
    assert "3 errors; nothing was applied" in text
    assert "at spec.model in documents[1] (service)" in text
    assert "at namespace in config" in text
    assert "at metadata.labels.id in documents[2] (service)" in text
    assert KEY not in text


def test_values_of_other_stacks(make_yaml: Callable[..., Project]) -> None:
    """``platform.from`` is awaited as from Python, and a value of a stack reference is a plain one."""
    model = {**MODEL, "spec": {**MODEL["spec"], "router": {"route": {}}}}
    model["metadata"] = {"name": "tiny", "annotations": {"example.com/team": '${other.outputs["team"]}'}}
    reference = {"type": "pulumi:pulumi:StackReference", "properties": {"name": "organization/platform/prod"}}
    project = make_yaml(
        [model, EXTERNAL, GATEWAY],
        {**CONFIG, "platform": {"from": "organization/platform/prod"}},
        resources={"other": reference},
    )
    folder = project.folder / "platform"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(
        yaml.safe_dump(
            {
                "name": "platform",
                "runtime": "yaml",
                "outputs": {
                    "platform": {"gateway": {"name": "shared", "namespace": "infra", "url": "http://x"}},
                    "team": "of-the-platform",
                },
            }
        )
    )
    platform = Project(folder, project.environment, "prod")
    platform.pulumi("stack", "init", "prod")
    platform.up()
    shown = project.preview("--diff").stdout
    assert 'name     : "shared"' in shown
    assert "of-the-platform" in shown


def test_two_stacks_and_a_provider_of_the_program(make_yaml: Callable[..., Project], cluster: Cluster) -> None:
    properties = {"context": "loco-test", "enableSecretMutable": True, "enableConfigMapMutable": True}
    cluster_facts = {"createNamespaces": True}
    other = {
        "type": "loco:ModelServingStack",
        "properties": {
            "documents": [MODEL],
            "config": {"namespace": "package-provider", "cluster": cluster_facts},
        },
        "options": {"provider": "${k8s}"},
    }
    project = make_yaml(
        [{**MODEL, "metadata": {"name": "big", "namespace": "package-own"}}],
        {"cluster": {**CONFIG["cluster"]}},
        {},
        resources={"k8s": {"type": "pulumi:providers:kubernetes", "properties": properties}, "other": other},
    )
    project.up()
    provider = {resource["urn"].rpartition("::")[2]: resource.get("provider", "") for resource in project.resources()}
    assert "::k8s::" in provider["tiny/package-provider/tiny-kserve"]
    assert "::serving/kubernetes::" in provider["big/package-own/big-kserve"]
    assert len(ready_pods(cluster, "package-provider")) == len(ready_pods(cluster, "package-own")) == 1
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
