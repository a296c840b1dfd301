"""The parts of the language host that need no engine."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.mark.parametrize(
    "options",
    [{}, {"virtualenv": "venv"}, {"toolchain": "pip"}, {"toolchain": "", "typechecker": None}],
)
def test_options_that_are_served(host: ModuleType, options: dict[str, Any]) -> None:
    assert host.refusal(options) == ""


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"toolchain": "uv", "virtualenv": "x"}, "`toolchain: uv`"),
        ({"typechecker": "pyright"}, "`typechecker: pyright`"),
        ({"colour": "red"}, "`colour: red`"),
    ],
)
def test_options_that_are_refused(host: ModuleType, options: dict[str, Any], named: str) -> None:
    assert named in host.refusal(options)


def test_the_virtualenv_is_relative_to_the_project(host: ModuleType) -> None:
    environ = {"PATH": "/usr/bin", "PYTHONHOME": "/x", "PYTHONPATH": "/kept", "PYTHONINSPECT": "1"}
    python, env = host.choose_python({"virtualenv": "my venv"}, Path("/a"), environ)
    assert python == Path("/a/my venv/bin/python")
    assert env == {"PATH": "/a/my venv/bin:/usr/bin", "VIRTUAL_ENV": "/a/my venv", "PYTHONPATH": "/kept"}
    assert environ["PYTHONHOME"] == "/x"


def test_an_absolute_virtualenv(host: ModuleType) -> None:
    python, env = host.choose_python({"virtualenv": "/b/venv"}, Path("/a"), {})
    assert python == Path("/b/venv/bin/python")
    assert env["PATH"].startswith("/b/venv/bin:")


def test_without_virtualenv_the_hosts_own_python_or_the_one_asked_for(host: ModuleType) -> None:
    assert host.choose_python({}, Path("/a"), {}) == (Path(sys.executable), {})
    assert host.choose_python({}, Path("/a"), {"PULUMI_PYTHON_CMD": "/no/python"})[0] == Path("/no/python")


@pytest.mark.parametrize(
    "text",
    [
        "runtime:\n  name: python\n  options:\n    virtualenv: my env  # here\n",
        "runtime: {name: python, options: {virtualenv: my env}}\n",
        "runtime: {name: python, options: {virtualenv: my env, toolchain: pip}}\n",
        "runtime:\n  options:\n    virtualenv: 'my env'\n",
        '{"runtime": {"options": {"virtualenv": "my env"}}}\n',
    ],
)
def test_interpreters_to_borrow(host: ModuleType, tmp_path: Path, text: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text(text)
    program = tmp_path / "prog"
    program.mkdir()
    found = [str(python.parents[1]) for python in host.interpreters_to_borrow(program, {"VIRTUAL_ENV": "/active"})]
    assert found[:6] == [
        f"{tmp_path}/my env",
        "/active",
        f"{program}/venv",
        f"{program}/.venv",
        f"{tmp_path}/venv",
        f"{tmp_path}/.venv",
    ]


def test_requirements_of_the_program_come_before_those_of_the_project(host: ModuleType, tmp_path: Path) -> None:
    program = tmp_path / "prog"
    program.mkdir()
    (tmp_path.parent / "requirements.txt").touch()
    assert host.pip_install(program, tmp_path) == (program, [])
    (tmp_path / "pyproject.toml").touch()
    assert host.pip_install(program, tmp_path) == (tmp_path, ["install", "-e", "."])
    (program / "requirements.txt").touch()
    assert host.pip_install(program, tmp_path) == (program, ["install", "-r", "requirements.txt"])


def test_exit_text(host: ModuleType) -> None:
    assert host.exit_text(0) == ""
    assert host.exit_text(3) == "program exited with non-zero exit code: 3"
    assert "signal 9" in host.exit_text(-9)


def test_trimmed_tracebacks_begin_with_the_program(host: ModuleType) -> None:
    def names(error: BaseException) -> list[str]:
        return [frame.name for frame in traceback.extract_tb(error.__traceback__)]

    scope: dict[str, Any] = {}
    code = (
        "def program(back):\n    try:\n        back()\n    except ValueError as e:\n        raise KeyError('b') from e"
    )
    exec(compile(code, "/p/__main__.py", "exec"), scope)

    def engine() -> None:
        raise ValueError("a")

    with pytest.raises(KeyError) as caught:
        scope["program"](engine)
    error = caught.value
    error.__context__ = error  # a cycle must not hang it
    assert names(error)[0] == "test_trimmed_tracebacks_begin_with_the_program"
    host.trim_tracebacks(error, (__file__,))
    assert names(error) == ["program"]
    assert error.__cause__
    assert names(error.__cause__) == ["program", "engine"]  # frames below the program's stay


def test_an_error_of_the_machinery_itself_keeps_its_traceback(host: ModuleType) -> None:
    with pytest.raises(ValueError, match="a") as caught:
        raise ValueError("a")
    host.trim_tracebacks(caught.value, (__file__,))
    assert caught.value.__traceback__
