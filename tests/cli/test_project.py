"""Without FILE: the stack of the project that the command stands in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def project(folder: Path) -> Path:
    (folder / "Pulumi.yaml").write_text("name: serving\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(
        "encryptionsalt: v1:x\n"
        "config:\n"
        "  serving:files: [good.yaml]\n"
        "  serving:namespace: llm\n"
        "  serving:cluster: {context: c}\n"
        "  aws:region: eu\n"
    )
    (folder / "Pulumi.prod.yaml").write_text("config:\n  serving:namespace: llm\n  serving:files: [broken.yaml]\n")
    return folder


@pytest.mark.usefixtures("project")
def test_the_stack_dev_unless_another_is_named(loco: Run) -> None:
    assert loco("check").status == 0
    assert loco("check") == loco("check", "--stack", "dev")
    done = loco("check", "--stack", "prod", "-o", "json")
    assert done.status == 1
    paths = {finding["path"]: finding for finding in json.loads(done.out)}
    assert paths.keys() == {"spec.replicsa", "spec.replicas", "cluster.context", "cluster.identifier"}
    assert paths["spec.replicas"]["origin"] == {"layer": "service", "file": "broken.yaml", "line": 7}


def test_what_the_project_says_for_every_stack(loco: Run, project: Path) -> None:
    """Pulumi.yaml's own config, as the engine lays it under a stack's."""
    (project / "Pulumi.yaml").write_text(
        "name: serving\nruntime: python\nconfig:\n"
        "  serving:cluster:\n    value: {context: c, identifier: i}\n"
        "  namespace: {type: string, default: below}\n"
        "  files: [nowhere.yaml]\n"
        "  aws:region: eu\n"
    )
    (project / "Pulumi.prod.yaml").write_text("config:\n  serving:files: [good.yaml]\n")
    done = loco("render", "--stack", "prod", "-o", "json")
    assert (done.status, done.err) == (0, "")
    assert {item["metadata"]["namespace"] for item in json.loads(done.out)} == {"below"}
    dev = loco("render", "-o", "json")
    assert {item["metadata"]["namespace"] for item in json.loads(dev.out)} == {"llm"}


@pytest.mark.usefixtures("project")
def test_render_of_a_stack(loco: Run) -> None:
    done = loco("render", "-o", "json")
    assert done.status == 0
    assert {item["metadata"]["namespace"] for item in json.loads(done.out)} == {"llm"}


def test_below_the_project(loco: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    above = loco("render")
    (project / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep/er")
    assert loco("render") == above


@pytest.mark.usefixtures("project")
def test_a_missing_stack_names_the_known_ones(loco: Run) -> None:
    done = loco("check", "--stack", "prd")
    assert (done.status, done.out) == (1, "")
    assert "there is no stack prd" in done.err
    assert "one of dev, prod" in done.err


def test_a_project_without_stacks(loco: Run, folder: Path) -> None:
    (folder / "Pulumi.yaml").write_text("name: serving\n")
    done = loco("check")
    assert done.status == 1
    assert "pulumi stack init dev" in done.err


@pytest.mark.parametrize("name", ["Pulumi.yaml", "Pulumi.dev.yaml"])
@pytest.mark.parametrize("text", ["a: [\n", "on: 1\n", "a: 1\na: 2\n"])
def test_faulty_project_files(loco: Run, project: Path, name: str, text: str) -> None:
    (project / name).write_text(text)
    [finding] = json.loads(loco("check", "-o", "json").out)
    assert finding["code"] == "LOCO-YAML"
    assert finding["origin"]["file"] == name


@pytest.mark.parametrize("text", ["", "config:\n", "config: x\n", "- a\n", "config: {a: 1}\n"])
def test_odd_stack_files_are_refused_without_a_traceback(loco: Run, project: Path, text: str) -> None:
    (project / "Pulumi.dev.yaml").write_text(text)
    done = loco("check", "-o", "json")
    assert done.status == 1
    assert all(finding["cure"] for finding in json.loads(done.out))


def test_lines_of_the_stack_file(loco: Run, project: Path) -> None:
    file = project / "Pulumi.dev.yaml"
    file.write_text(file.read_text() + "  serving:profile: fast\n")
    [finding] = json.loads(loco("check", "-o", "json").out)
    assert (finding["path"], finding["origin"]) == (
        "profile",
        {"layer": "config", "file": "Pulumi.dev.yaml", "line": 7},
    )
