"""loco init in a folder that has something of a project already."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.init.conftest import FILES, WELL, files_in

Run = Callable[..., Any]


def test_the_rest_beside_what_is_there(loco: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("serving").mkdir()
    Path("serving/README.md").write_text("mine\n")
    done = loco("init", "serving", "--keep-existing")
    assert done.status == 0
    assert "kept serving/README.md\n" in done.out
    assert Path("serving/README.md").read_text() == "mine\n"
    assert files_in(Path("serving")) == FILES
    monkeypatch.chdir("serving")
    assert loco("check") == WELL


@pytest.mark.parametrize("runtime", ["python", "{name: python, options: {virtualenv: v}}"])
def test_another_stack_of_a_project_is_found_under_its_name(
    loco: Run, monkeypatch: pytest.MonkeyPatch, runtime: str
) -> None:
    """The folder's name says nothing: the engine would pass over keys of another prefix."""
    assert loco("init", "serving", "--name", "platform").status == 0
    Path("serving/Pulumi.yaml").write_text(f"name: platform\nruntime: {runtime}\n")
    done = loco("init", "serving", "--stack", "prod", "--keep-existing", "--requirement", "loco")
    said = [*(f"kept serving/{file}" for file in FILES), "wrote serving/Pulumi.prod.yaml"]
    assert {*done.out.splitlines()} == {
        *(line for line in said if line != "kept serving/Pulumi.dev.yaml"),
        "note: no cluster is named yet; Pulumi.prod.yaml says how",
        "",
        "next: cd serving && loco check --stack prod",
    }
    monkeypatch.chdir("serving")
    assert loco("check", "--stack", "prod") == WELL
    done = loco("init", "--name", "serving", "--stack", "more", "--keep-existing")
    assert (done.status, done.out) == (2, "")
    assert "is called platform, not serving" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: serving\nruntime: nodejs\n", 'runtime in Pulumi.yaml, Pulumi.yaml:1 (config)\n  found "nodejs"'),
        ("name: serving\nruntime: {name: yaml}\n", 'found "yaml"'),
        ("name: serving\n", "isn't a program in Python"),
        ("name: serving\nruntime: [python]\n", "isn't a program in Python"),
        ("runtime: python\n", "has no name"),
        ("name: 1\nruntime: python\n", "has no name"),
        ("", "has no name"),
        ("[]", "has no name"),
        ("name: {\n", "not YAML"),
    ],
)
def test_a_project_that_nothing_can_be_added_to(loco: Run, text: str, said: str) -> None:
    Path("serving").mkdir()
    Path("serving/Pulumi.yaml").write_text(text)
    done = loco("init", "serving", "--keep-existing")
    assert (done.status, done.out) == (1, "")
    assert said in done.err
    assert files_in(Path("serving")) == {"Pulumi.yaml"}


def test_what_stands_in_the_place_of_a_folder_is_not_kept(loco: Run) -> None:
    Path("serving").mkdir()
    Path("serving/models").write_text("mine\n")
    done = loco("init", "serving", "--keep-existing")
    assert (done.status, done.out) == (1, "")
    assert "models is there already and is no folder, so models/chat.yaml can't be made" in done.err
    assert files_in(Path("serving")) == {"models"}


def test_a_folder_that_looks_like_an_option(loco: Run) -> None:
    done = loco("init", "--name", "serving", "--", "-serving")
    assert done.out.endswith("\nnext: cd ./-serving && loco check --stack dev\n")
    assert files_in(Path("-serving")) == FILES


def test_the_working_folder_is_gone(loco: Run) -> None:
    Path.cwd().rmdir()
    for command in (("init",), ("diff", "a", "b"), ("check",)):
        done = loco(*command)
        assert (done.status, done.out) == (1, "")
        assert done.err.startswith("loco: the folder that this command stands in is gone")


@pytest.mark.parametrize("file", ["Pulumi.yml", "Pulumi.json"])
@pytest.mark.parametrize("options", [(), ("--keep-existing",)])
def test_another_project_of_pulumis(loco: Run, file: str, options: tuple[str, ...]) -> None:
    Path("serving").mkdir()
    Path("serving", file).write_text("{}")
    done = loco("init", "serving", *options)
    assert done.status == 1
    assert f"{file} is there already" in done.err
    assert files_in(Path("serving")) == {file}
