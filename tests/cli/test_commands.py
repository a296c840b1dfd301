"""render and check: exit status, what goes to which stream, and in which form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from loco.cli.yaml_writer import write_yaml
from loco.spec.tree import plain
from loco.spec.yaml_reader import read_yaml

Run = Callable[..., Any]
NS = ("--namespace", "llm")


def test_render_prints_manifests_and_nothing_else(loco: Run) -> None:
    done = loco("render", "good.yaml", *NS)
    assert (done.status, done.err) == (0, "")
    kinds = [document["kind"] for document in yaml.safe_load_all(done.out)]
    assert "Deployment" in kinds
    assert "Service" in kinds


def test_render_as_json_is_the_same(loco: Run) -> None:
    objects = json.loads(loco("render", "good.yaml", *NS, "-o", "json").out)
    assert objects == list(yaml.safe_load_all(loco("render", "good.yaml", *NS).out))


def test_findings_of_render_go_to_standard_error(loco: Run) -> None:
    done = loco("render", "warned.yaml", *NS)
    assert done.status == 0
    assert "LOCO-REMOVED" not in done.out
    assert "warning[LOCO-REMOVED]" in done.err
    assert "0 errors, 1 warning" in done.err


def test_a_refused_plan_renders_nothing(loco: Run) -> None:
    done = loco("render", "good.yaml", "broken.yaml", *NS)
    assert (done.status, done.out) == (1, "")
    assert "error[LOCO-UNKNOWN-KEY]" in done.err
    assert "error[LOCO-TYPE]" in done.err
    assert "broken.yaml:6" in done.err
    assert "2 errors, 0 warnings" in done.err


def test_check(loco: Run) -> None:
    done = loco("check", "good.yaml", *NS)
    assert (done.status, done.err) == (0, "")
    assert "no errors" in done.out
    done = loco("check", "warned.yaml", *NS)
    assert (done.status, done.out) == (0, "")
    assert "warning[LOCO-REMOVED]" in done.err
    done = loco("check", "broken.yaml", "warned.yaml", *NS)
    assert (done.status, done.out) == (1, "")
    assert done.err.index("error[") < done.err.index("warning[")


def test_check_as_json(loco: Run) -> None:
    assert json.loads(loco("check", "good.yaml", *NS, "-o", "json").out) == []
    done = loco("check", "broken.yaml", *NS, "-o", "json")
    assert (done.status, done.err) == (1, "")
    findings = json.loads(done.out)
    assert {finding["code"] for finding in findings} == {"LOCO-UNKNOWN-KEY", "LOCO-TYPE"}
    keys = {"code", "severity", "path", "origin", "message", "cure", "object", "value"}
    assert all(finding.keys() == keys for finding in findings)
    assert findings[0]["origin"]["file"] == "broken.yaml"


def test_missing_files_are_findings_beside_the_others(loco: Run) -> None:
    done = loco("check", "nowhere.yaml", "broken.yaml", "/", *NS, "-o", "json")
    assert done.status == 1
    codes = [finding["code"] for finding in json.loads(done.out)]
    assert codes.count("LOCO-FILE") == 2
    assert "LOCO-UNKNOWN-KEY" in codes


def test_a_file_given_twice_is_read_once(loco: Run) -> None:
    assert loco("render", "good.yaml", "./good.yaml", *NS) == loco("render", "good.yaml", *NS)


def test_a_document_without_a_namespace(loco: Run) -> None:
    done = loco("check", "good.yaml")
    assert done.status == 1
    assert "LOCO-CONFIG" in done.err
    done = loco("check", "good.yaml", "--namespace", "No_Good")
    assert done.status == 1
    assert done.err.count("error[") == 1


def test_tls_and_profile(loco: Run) -> None:
    kinds = {item["kind"] for item in json.loads(loco("render", "good.yaml", *NS, "--tls", "-o", "json").out)}
    assert "Secret" in kinds
    plain_kinds = {item["kind"] for item in json.loads(loco("render", "good.yaml", *NS, "-o", "json").out)}
    assert "Secret" not in plain_kinds
    assert loco("render", "good.yaml", *NS, "--profile", "kserve").out != loco("render", "good.yaml", *NS).out


def test_platform_file(loco: Run, folder: Path) -> None:
    (folder / "platform.yaml").write_text("tls: true\nspareGpus:\n")
    assert loco("render", "good.yaml", *NS, "--platform", "platform.yaml") == loco("render", "good.yaml", *NS, "--tls")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("tls: yes please\n", "LOCO-TYPE", "platform.tls"),
        ("spareGpu: 1\n", "LOCO-UNKNOWN-KEY", "spareGpus"),
        ("- a\n", "LOCO-TYPE", "a mapping, and is a list"),
        ("a: [\n", "LOCO-YAML", "this is not YAML"),
        ("on: 1\n", "LOCO-YAML", "the key on as bool"),
        (None, "LOCO-FILE", "can't be read"),
    ],
)
def test_faulty_platform_file(loco: Run, folder: Path, text: str | None, code: str, words: str) -> None:
    if text is not None:
        (folder / "platform.yaml").write_text(text)
    done = loco("check", "broken.yaml", *NS, "--platform", "platform.yaml", "-o", "json")
    assert done.status == 1
    findings = json.loads(done.out)
    [finding] = [finding for finding in findings if finding["origin"]["file"] == "platform.yaml"]
    assert finding["code"] == code
    assert words in json.dumps(finding)
    assert len(findings) == 3, "those of the model file are there too"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "required: COMMAND"),
        (("plan",), "invalid choice"),
        (("check", "-", *NS), "/dev/stdin"),
        (("check", "good.yaml", "--stack", "dev"), "not both"),
        (("check", "--tls"), "go with FILE"),
        (("check", "good.yaml", "--profile", "x"), "invalid choice"),
        (("check",), "no Pulumi.yaml"),
        (("render", "good.yaml", "-o", "xml"), "invalid choice"),
    ],
)
def test_wrong_usage(loco: Run, arguments: tuple[str, ...], words: str) -> None:
    done = loco(*arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_help_and_version(loco: Run) -> None:
    for arguments in (("--help",), ("--version",), ("render", "--help"), ("check", "--help")):
        done = loco(*arguments)
        assert (done.status, done.err) == (0, "")
        assert "loco" in done.out


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff\ufffe\uffff"), max_size=20)
NUMBERLIKE = st.text(alphabet="0123456789.+-eE_xobynYN:~", max_size=6)


@given(
    st.dictionaries(TEXT | NUMBERLIKE, TEXT | NUMBERLIKE | st.integers(-9, 9) | st.booleans() | st.none(), max_size=4)
)
def test_printed_yaml_reads_back(data: dict[str, Any]) -> None:
    text = write_yaml([data])
    [tree], findings = read_yaml(text, "f", "l")
    assert findings == []
    assert plain(tree) == data


@pytest.mark.parametrize(
    "text", ["y", "N", "yes", "1e3", "08", "0o7", "1_0", "-.5", "12:30", "2026-01-01", "~", "", "1."]
)
def test_text_that_some_reader_takes_for_something_else_is_quoted(text: str) -> None:
    printed = write_yaml([[text]])
    assert printed.strip(" -\n")[0] in "'\""
