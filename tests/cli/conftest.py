"""A folder with model files, and the command line run in it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from loco.cli.main import main

SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: NAME}
spec:
  model: {uri: hf://a/b}
  replicas: 1
  template: {containers: [{name: main, image: registry.example/vllm:v1}]}
"""
BROKEN = SERVICE.replace("replicas: 1", "replicsa: 1\n  replicas: x")
WARNED = SERVICE.replace("image: registry.example/vllm:v1", "image: registry.example/vllm:v1, lifecycle: ~")


class Done(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"good": SERVICE, "broken": BROKEN, "warned": WARNED}.items():
        (tmp_path / f"{name}.yaml").write_text(text.replace("NAME", name))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def loco(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs a command in this process."""

    def run(*arguments: str) -> Done:
        try:
            status = main(arguments)
        except SystemExit as end:
            status = int(end.code or 0)
        return Done(status, *capsys.readouterr())

    return run
