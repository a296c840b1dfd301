"""LiteLLM is installed once, and again after an installation that was cut off."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dev.messages import Problem
from dev.toolchain import litellm


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    ran: list[list[str]] = []

    def pretend(what: str, command: Sequence[str], log: Path, folder: Path, *_: Any) -> None:
        ran.append(list(command))
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)

    monkeypatch.setattr(litellm, "run_slowly", pretend)
    return ran


def test_installed_once_from_the_pinned_list(tmp_path: Path, commands: list[list[str]]) -> None:
    command = litellm.ensure_litellm(tmp_path)
    assert command.name == "litellm"
    assert command.parent.parent.name.startswith(litellm.LITELLM_VERSION)
    assert len(commands) == 2
    assert commands[1][-1].endswith("dev/tools/litellm/requirements.txt")
    assert litellm.ensure_litellm(tmp_path) == command
    assert len(commands) == 2


def test_what_was_cut_off_is_made_anew(
    tmp_path: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend = litellm.run_slowly

    def cut_off(what: str, command: Sequence[str], *rest: Any) -> None:
        pretend(what, command, *rest)
        if "pip" in command:
            raise Problem("cut off")

    monkeypatch.setattr(litellm, "run_slowly", cut_off)
    with pytest.raises(Problem):
        litellm.ensure_litellm(tmp_path)
    monkeypatch.setattr(litellm, "run_slowly", pretend)
    half = next((tmp_path / "tools" / "litellm").iterdir()) / "half-made"
    half.touch()
    litellm.ensure_litellm(tmp_path)
    assert not half.exists()


def test_every_package_is_pinned() -> None:
    lines = (litellm.MODULE_FILES / "litellm" / "requirements.txt").read_text().splitlines()
    packages = [line for line in lines if not line.startswith("#")]
    assert all("==" in line for line in packages)
    assert f"litellm=={litellm.LITELLM_VERSION}" in packages
    assert any(line.startswith("prisma==") for line in packages)
