"""A project in a git repository, whose last commit is the base of reports."""

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.plan import plan_stack
from loco.spec import read_stack

CHAT: dict[str, Any] = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "chat"},
    "spec": {
        "model": {"uri": "hf://org/chat", "name": "org/chat"},
        "replicas": 2,
        "template": {
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/vllm:v1",
                    "args": ["--max-model-len=4096"],
                    "env": [{"name": "API_TOKEN", "value": "hunter2"}, {"name": "LEVEL", "value": "info"}],
                    "resources": {"limits": {"nvidia.com/gpu": 2}},
                }
            ]
        },
    },
}
GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec:
  provider: openai
  model: gpt-4o-mini
  url: https://api.openai.com/v1
  timeoutSeconds: 30
  auth: {apiKey: {secretRef: {name: openai, key: token}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, masterKey: {generate: true}}
"""
CONFIG: dict[str, Any] = {
    "files": ["models/*.yaml"],
    "namespace": "llm",
    "cluster": {"context": "c", "identifier": "c-1"},
    "platform": {"spareGpus": 4},
    "credentials": {"openai": {"token": {"config": "openaiToken"}}},
    "openaiToken": {"secure": "v1:a"},
}


class Repository:
    """The project's folder, somewhere in a git repository."""

    def __init__(self, top: Path, below: str = "") -> None:
        self.top, self.root = top, top / below
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=tests", "-c", "user.email=tests@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=self.top, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "a state")
        return self.git("rev-parse", "HEAD")

    def write(self, file: str, content: Any) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))

    def configure(self, **values: Any) -> None:
        config = {f"serving:{key}": value for key, value in {**CONFIG, **values}.items() if value is not None}
        self.write("Pulumi.dev.yaml", {"config": config})

    def chat(self, **spec: Any) -> None:
        self.write("models/chat.yaml", {**CHAT, "spec": {**CHAT["spec"], **spec}})

    def engine(self, **container: Any) -> None:
        """The service, whose engine has other fields."""
        [main] = CHAT["spec"]["template"]["containers"]
        self.chat(template={"containers": [{**main, **container}]})

    def fill(self) -> None:
        self.write("Pulumi.yaml", "name: serving\nruntime: python\n")
        self.configure()
        self.chat()
        self.write("models/gateway.yaml", GATEWAY)
        self.commit()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "repository")
    made.fill()
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def objects(repository: Repository) -> dict[str, Any]:
    """The plan's objects by kind and name, as the engine has them among its inputs."""
    config = {key: value for key, value in CONFIG.items() if key != "openaiToken"}
    stack = read_stack(repository.root, config, secrets=["openaiToken"], project="serving")
    plan = plan_stack(stack)
    assert plan.errors == ()
    return {f"{manifest.id.kind}/{manifest.name}": copy.deepcopy(dict(manifest.data)) for manifest in plan.manifests}


def workloads(printed: str) -> dict[str, Any]:
    """The workloads of a report in JSON, by name."""
    return {
        workload["object"].rpartition("/")[2]: workload
        for part in json.loads(printed)["parts"]
        for workload in part["workloads"]
    }


def told(causes: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """Causes without their places."""
    return {(cause["what"], cause["old"], cause["new"]) for cause in causes if not cause["detail"]}
