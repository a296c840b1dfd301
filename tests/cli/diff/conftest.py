"""A project with two stacks over the same model files."""

from pathlib import Path

import pytest

MODELS = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: hf://a/b}
  replicas: 1
  template: {containers: [{name: main, image: registry.example/vllm:v1, env: [{name: HF_TOKEN, value: pasted}]}]}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: big}
spec: {model: {uri: hf://a/c}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: info}
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: m, url: "https://api.openai.com/v1"}
"""
STAGING = """\
config:
  serving:namespace: llm
  serving:cluster: {context: c, identifier: c-1}
"""
PROD = """\
config:
  serving:namespace: llm
  serving:cluster: {context: c, identifier: c-1}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Staging and prod, alike but for what a test adds to their files."""
    (tmp_path / "Pulumi.yaml").write_text("name: serving\nruntime: python\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models/all.yaml").write_text(MODELS)
    (tmp_path / "Pulumi.staging.yaml").write_text(STAGING)
    (tmp_path / "Pulumi.prod.yaml").write_text(PROD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add(project: Path, stack: str, text: str) -> None:
    file = project / f"Pulumi.{stack}.yaml"
    file.write_text(file.read_text() + text)
