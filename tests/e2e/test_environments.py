"""Dev, staging and prod from one set of model files, and a project that `loco init` has just written."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dev.cluster import Cluster
from dev.commands.environment import DEV_PASSPHRASE
from tests.conftest import REPOSITORY
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

STACKS = ("dev", "staging", "prod")
SERVICES = ("chat", "chat-next", "reasoning")
CPU, GPU = "docker.io/vllm/vllm-openai-cpu:v0.23.0", "ghcr.io/llm-d/llm-d-cuda:v0.9.0"
MIRRORED = f"mirror.example.com/{GPU}"


@dataclass(frozen=True)
class Engines:
    """What one service runs: pods, their image, GPUs of each, and the engine's own arguments."""

    pods: int
    image: str
    gpus: str | None
    args: tuple[str, ...] = ()


EXPECTED = {
    "dev": {
        "chat": Engines(1, CPU, None, ("--max-model-len", "2048")),
        "chat-next": Engines(1, CPU, None),
    },
    "staging": {
        "chat": Engines(1, GPU, "1", ("--max-model-len", "8192")),
        "chat-next": Engines(1, GPU, "1"),
        "reasoning": Engines(1, GPU, "2"),
    },
    "prod": {
        "chat": Engines(3, MIRRORED, "1", ("--max-model-len", "16384")),
        "reasoning": Engines(2, MIRRORED, "2"),
    },
}


@pytest.fixture(scope="module")
def stacks(make_project: Callable[..., Project]) -> dict[str, Project]:
    """The example's three stacks, brought up one after the other. Only the names of their clusters are others."""
    beside = make_project({})
    folder = beside.folder / "environments"
    shutil.copytree(REPOSITORY / "examples/environments", folder, ignore=shutil.ignore_patterns(".venv", "__pycache__"))
    (folder / ".venv").symlink_to(sys.prefix)
    environment = {**beside.environment, "PULUMI_CONFIG_PASSPHRASE": DEV_PASSPHRASE}
    found = {stack: Project(folder, environment, stack) for stack in STACKS}
    for stack, project in found.items():
        project.pulumi("stack", "init", stack)
        project.pulumi("config", "set", "--path", "cluster.context", "loco-test", "--stack", stack)
        project.up()
    return found


def engine_pods(cluster: Cluster, stack: str, service: str) -> list[dict[str, Any]]:
    """The ready pods of a service that run its engine: no endpoint picker."""
    ready = ready_pods(cluster, f"llm-{stack}").values()
    labels = {"app.kubernetes.io/name": service, "app.kubernetes.io/component": "llminferenceservice-workload"}
    pods = objects(cluster, "v1", "Pod", f"llm-{stack}")
    return [
        pod for pod in pods if pod["metadata"]["uid"] in ready and labels.items() <= pod["metadata"]["labels"].items()
    ]


def engines(cluster: Cluster, stack: str, service: str) -> Engines | None:
    """What a service runs, as its pods say it; None without pods."""
    found = []
    for pod in engine_pods(cluster, stack, service):
        [main] = [container for container in pod["spec"]["containers"] if container["name"] == "main"]
        found.append((main["image"], main["resources"]["limits"].get("nvidia.com/gpu"), tuple(main.get("args", ()))))
    assert len(set(found)) <= 1, "the pods of a service are alike"
    return Engines(len(found), *found[0]) if found else None


def uids(cluster: Cluster, stack: str, service: str) -> set[str]:
    return {pod["metadata"]["uid"] for pod in engine_pods(cluster, stack, service)}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.usefixtures("stacks")
def test_each_environment_runs_what_its_config_says(cluster: Cluster, stack: str) -> None:
    assert {name: engines(cluster, stack, name) for name in SERVICES} == {**dict.fromkeys(SERVICES), **EXPECTED[stack]}
    [gateway] = [
        d for d in objects(cluster, "apps/v1", "Deployment", f"llm-{stack}") if "main" in d["metadata"]["name"]
    ]
    assert gateway["status"]["readyReplicas"] == (2 if stack == "prod" else 1)


@pytest.mark.parametrize("stack", STACKS)
def test_each_has_a_secret_of_its_own(cluster: Cluster, stacks: dict[str, Project], stack: str) -> None:
    [secret] = [s for s in objects(cluster, "v1", "Secret", f"llm-{stack}") if s["metadata"]["name"] == "openai"]
    value = f"sk-example-of-{stack}"
    assert base64.b64decode(secret["data"]["token"]).decode() == value
    assert value not in stacks[stack].raw_state()


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_is_left_to_change(stacks: dict[str, Project], stack: str) -> None:
    stacks[stack].preview("--expect-no-changes")


def test_a_change_of_a_model_file_goes_from_one_to_the_next(cluster: Cluster, stacks: dict[str, Project]) -> None:
    file = stacks["dev"].folder / "models/chat.yaml"
    before = {stack: uids(cluster, stack, "chat") for stack in STACKS}
    others = {stack: uids(cluster, stack, "chat-next") for stack in ("dev", "staging")}
    file.write_text(file.read_text() + "        env: [{name: VLLM_LOGGING_LEVEL, value: DEBUG}]\n")
    stacks["dev"].up()
    assert not uids(cluster, "dev", "chat") & before["dev"]
    assert uids(cluster, "staging", "chat") == before["staging"]
    stacks["staging"].up()
    assert not uids(cluster, "staging", "chat") & before["staging"]
    assert uids(cluster, "prod", "chat") == before["prod"]
    assert {stack: uids(cluster, stack, "chat-next") for stack in ("dev", "staging")} == others


def test_prod_is_protected_and_another_goes(cluster: Cluster, stacks: dict[str, Project]) -> None:
    before = {stack: ready_pods(cluster, f"llm-{stack}") for stack in STACKS}
    refused = stacks["prod"].pulumi("destroy", "--yes", "--skip-preview", "--stack", "prod", succeeds=False)
    assert "deletionProtection" in refused.stdout + refused.stderr
    stacks["staging"].pulumi("destroy", "--yes", "--skip-preview", "--stack", "staging")
    assert {stack: ready_pods(cluster, f"llm-{stack}") for stack in STACKS} == {**before, "staging": {}}


def loco(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loco.cli.main", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def started(beside: Project, name: str, *options: str) -> Project:
    """A project that `loco init` wrote, with this Python in place of an environment of its own."""
    done = loco(beside.folder, "init", name, "--namespace", f"of-{name}", *options)
    assert done.returncode == 0, done.stderr
    project = Project(beside.folder / name, beside.environment, "dev")
    assert loco(project.folder, "check").stdout == "nothing to say: no errors, no warnings\n"
    (project.folder / ".venv").symlink_to(sys.prefix)
    project.pulumi("stack", "init", "dev")
    return project


def test_a_project_that_init_wrote(cluster: Cluster, make_project: Callable[..., Project]) -> None:
    project = started(make_project({}), "started", "--context", "loco-test")
    assert "error" not in project.up().stdout.lower()
    assert {name.rsplit("-", 2)[0] for name in ready_pods(cluster, "of-started")} == {"chat-kserve", "main-litellm"}
    project.preview("--expect-no-changes")
    outputs: dict[str, Any] = project.outputs()
    assert outputs["models"].keys() == {"of-started/chat"}
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert ready_pods(cluster, "of-started") == {}


def test_without_a_cluster_nothing_is_applied_and_the_context_is_named(
    cluster: Cluster, make_project: Callable[..., Project]
) -> None:
    project = started(make_project({}), "unnamed")
    refused = project.up(succeeds=False)
    assert "your-context" in refused.stdout
    assert "nothing was applied" in refused.stdout
    assert objects(cluster, "apps/v1", "Deployment", "of-unnamed") == []
