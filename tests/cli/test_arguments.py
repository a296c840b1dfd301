"""Arguments of commands: options anywhere among them, and what is said of those that can't be meant."""

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
EMPTY = {"nothing": "", "a comment": "# to come\n", "null": "---\n---\n~\n"}
ORDERS = [
    order
    for order in permutations([("--stack", "dev"), ("good",), ("-o", "json"), ("replicas",)])
    if order.index(("good",)) < order.index(("replicas",))
]


@pytest.fixture
def project(folder: Path) -> Path:
    (folder / "Pulumi.yaml").write_text("name: loco\nruntime: python\n")
    config = "config:\n  loco:files: [good.yaml, warned.yaml]\n  loco:namespace: llm\n  loco:cluster: {context: c}\n"
    for stack in ("dev", "prod"):
        (folder / f"Pulumi.{stack}.yaml").write_text(config)
    return folder


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("order", ORDERS)
def test_options_stand_anywhere(loco: Run, order: tuple[tuple[str, ...], ...]) -> None:
    words = [word for group in order for word in group]
    done = loco("explain", *words)
    assert (done.status, [entry["value"] for entry in json.loads(done.out)]) == (0, [1])


@pytest.mark.parametrize(
    "words",
    [
        ("check", "good.yaml", "--namespace", "llm", "warned.yaml", "-o", "json"),
        ("check", "-o", "json", "good.yaml", "--namespace=llm", "warned.yaml"),
        ("render", "good.yaml", "-o", "json", "warned.yaml", "--namespace", "llm"),
        ("explain", "good.yaml", "-o", "json", "warned.yaml", "--namespace", "llm", "warned", "--profile", "safe"),
    ],
)
def test_of_every_command(loco: Run, words: tuple[str, ...]) -> None:
    done = loco(*words)
    assert (done.status, bool(json.loads(done.out))) == (0, True)
    assert "warned" in done.out


def test_schema_takes_them_too(loco: Run, folder: Path) -> None:
    assert loco("schema", "--write", "out", "StackConfig").status == 0
    assert [path.name for path in (folder / "out").iterdir()] == ["StackConfig.json"]


def test_behind_two_dashes_there_are_no_options(loco: Run, folder: Path) -> None:
    (folder / "-odd.yaml").write_text((folder / "good.yaml").read_text())
    assert loco("render", "--namespace", "llm", "--", "-odd.yaml").status == 0
    done = loco("render", "--namespace", "llm", "--", "--tls")
    assert (done.status, "--tls can't be read" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (("check", "--nope"), "usage: loco check"),
        (("explain", "good.yaml", "--nope"), "usage: loco explain FILE"),
        (("schema", "Nope"), "usage: loco schema"),
        ((), "usage: loco ["),
        (("nope",), "usage: loco ["),
    ],
)
def test_the_usage_is_the_commands(loco: Run, words: tuple[str, ...], usage: str) -> None:
    done = loco(*words)
    assert (done.status, done.err.startswith(usage)) == (2, True)


@pytest.mark.usefixtures("project")
def test_explain_of_a_service_without_a_stack(loco: Run, folder: Path) -> None:
    (folder / "chat").mkdir()
    for words in (("b", "replicas"), ("chat", "replicas"), ("b",)):
        done = loco("explain", *words)
        assert done.status == 2
        assert f"there is no file {words[0]}; " in done.err
        assert f"loco explain --stack dev {' '.join(words)}\n" in done.err


def test_explain_of_a_service_where_there_is_no_dev(loco: Run, project: Path) -> None:
    (project / "Pulumi.dev.yaml").unlink()
    assert "loco explain --stack prod b --path" not in loco("explain", "b", "--path", "replicas").err
    assert "loco explain --stack prod b replicas" in loco("explain", "b", "--path", "replicas").err


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", ["check", "render"])
def test_a_stack_for_a_file(loco: Run, folder: Path, command: str) -> None:
    done = loco(command, "prod", "--namespace", "llm")
    assert (done.status, "there is no file prod; for the stack: --stack prod" in done.err) == (2, True)
    (folder / "prod").write_text((folder / "good.yaml").read_text())
    assert loco(command, "prod", "--namespace", "llm").status == 0


def test_a_document_without_a_namespace_is_one_error(loco: Run) -> None:
    for words in ((), ("good",), ("good", "replicas")):
        done = loco("explain", "good.yaml", *words)
        assert done.status == 1
        assert done.err.count("error[") == 1
        assert done.err.count("--namespace NS") == 1
        assert "no document" not in done.err


def test_a_name_among_others_that_can_be_read_is_still_said(loco: Run) -> None:
    done = loco("explain", "good.yaml", "broken.yaml", "broken", "--namespace", "llm")
    assert "no document is called broken among those that could be read" in done.err


@pytest.mark.parametrize("command", ["check", "render", "explain"])
def test_a_namespace_without_a_name(loco: Run, command: str) -> None:
    done = loco(command, "good.yaml", "--namespace", "")
    assert "error[LOCO-VALUE]: this value is not allowed here: a namespace is" in done.err
    assert done.status == (0 if command == "explain" else 1)


@pytest.mark.parametrize("path", ["spec[", "spec[]", "spec..", "[", "spec.template.containers[", 'spec["'])
def test_paths_that_do_not_end(loco: Run, path: str) -> None:
    done = loco("explain", "good.yaml", "good", path, "--namespace", "llm")
    assert (done.status, f"no layer sets {path}; the nearest path that is set is spec" in done.err) == (1, True)


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY)
def test_a_file_without_a_document(loco: Run, folder: Path, text: str) -> None:
    (folder / "empty.yaml").write_text(text)
    done = loco("check", "empty.yaml", "--namespace", "llm")
    assert (done.status, "warning[LOCO-NO-EFFECT]: empty.yaml holds no document" in done.err) == (0, True)
    assert "nothing to say" not in done.out
    assert "1 warning" in loco("check", "good.yaml", "empty.yaml", "--namespace", "llm").err


def test_a_stack_with_a_file_without_a_document(loco: Run, project: Path) -> None:
    (project / "good.yaml").write_text("")
    assert "good.yaml holds no document" in loco("check").err
