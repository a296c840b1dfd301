"""The rendered start script under a real bash: what vLLM finally gets, and that nothing of the user's text is run."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.plan.stacks import container_of, planned
from tests.presets.stand_in import Run, StandIn

OLD_LOG = ["--disable-uvicorn-access-log"]
NEW_LOG = ["--disable-access-log-for-endpoints", "/health,/metrics,/ping"]
SHUTDOWN = ["--shutdown-timeout", "40"]
HEAD = ["vllm", "serve", "/mnt/models", "--served-model-name", "tiny", "publishers/llm/models/tiny", "--port", "8000"]

HOSTILE = [
    "two words",
    "it's",
    'a "quoted" word',
    "$(touch x)",
    "`touch x`",
    "; touch x",
    "&& touch x",
    "line\nbreak",
    "",
    " ",
    "'",
    "''",
    "${HOME}",
    "$HOME",
    "*",
    "~",
    "\\",
    '{"a": {"b": [1, 2]}}',
    "ünïcode → 模型",
    "{{ x }}",
    "{% y %}",
]


def run(stand_in: StandIn, spec: dict[str, Any] | None = None, tls: bool = False, **options: Any) -> Run:
    plan = planned(spec, platform={"tls": tls})
    return stand_in.run_container(container_of(plan), **options)


def with_args(args: list[str]) -> dict[str, Any]:
    return {"template": {"containers": [{"name": "main", "args": args}]}}


def words_of(stand_in: StandIn, text: str) -> list[str] | None:
    """What becomes of VLLM_ADDITIONAL_ARGS; None where the script refuses it."""
    result = run(stand_in, env={"VLLM_ADDITIONAL_ARGS": text})
    if result.argv is None:
        assert result.status == 64
        assert "VLLM_ADDITIONAL_ARGS can't be split into words" in result.errors
        return None
    assert result.argv[: len(HEAD) + 4] == [*HEAD, *NEW_LOG, *SHUTDOWN]
    return result.argv[len(HEAD) + 4 :]


@pytest.mark.parametrize(
    ("version", "flags"),
    [
        ("0.9.2\n", OLD_LOG),
        ("0.15.0\n", OLD_LOG),
        ("0.15.99\n", OLD_LOG),
        ("0.16.0\n", NEW_LOG),
        ("0.16.0rc1\n", NEW_LOG),
        ("0.17.1\n", NEW_LOG),
        ("0.18.0\n", NEW_LOG + SHUTDOWN),
        ("0.18.0+cu128\n", NEW_LOG + SHUTDOWN),
        ("1.0.0\n", NEW_LOG + SHUTDOWN),
        ("0.23.0", NEW_LOG + SHUTDOWN),
        ("vllm 0.18.0\n", NEW_LOG + SHUTDOWN),
        ("WARNING 0.1.0 is old\nINFO: platform 0.2.0\nvLLM version 0.18.1\n", NEW_LOG + SHUTDOWN),
        ("dev\n", OLD_LOG),
        ("v0.18.0\n", OLD_LOG),
        ("18\n", OLD_LOG),
        ("", OLD_LOG),
        ("0.18.0 \n", OLD_LOG),
        ("$(touch x)\n", OLD_LOG),
    ],
)
def test_flags_follow_the_version(stand_in: StandIn, tmp_path: Path, version: str, flags: list[str]) -> None:
    result = run(stand_in, version=version, cwd=tmp_path)
    assert result.argv == [*HEAD, *flags]
    assert not list(tmp_path.iterdir())


def test_vllm_that_tells_no_version_is_started_all_the_same(stand_in: StandIn) -> None:
    assert run(stand_in, version="", version_status=1).argv == [*HEAD, *OLD_LOG]


def test_status_of_the_engine_is_the_containers(stand_in: StandIn, tmp_path: Path) -> None:
    failing = StandIn(tmp_path / "bin")
    (failing.folder / "vllm").write_text("#!/bin/bash\nexit 7\n")
    assert run(failing).status == 7
    assert run(stand_in).status == 0


@pytest.mark.parametrize(("grace", "seconds"), [(60, "40"), (30, "10"), (20, "0"), (0, "0"), (600, "580")])
def test_shutdown_fits_the_grace_period(stand_in: StandIn, grace: int, seconds: str) -> None:
    argv = run(stand_in, {"template": {"terminationGracePeriodSeconds": grace}}).argv
    assert argv is not None
    assert argv[argv.index("--shutdown-timeout") + 1] == seconds


def test_parallelism_tls_and_users_text_in_order(stand_in: StandIn) -> None:
    spec = {"parallelism": {"tensor": 4}, **with_args(["--max-num-seqs", "9"])}
    result = run(stand_in, spec, tls=True, env={"VLLM_ADDITIONAL_ARGS": "--extra 1"})
    files = ["--ssl-certfile", "/var/run/kserve/tls/tls.crt", "--ssl-keyfile", "/var/run/kserve/tls/tls.key"]
    flags = ["--tensor-parallel-size", "4", "--enable-ssl-refresh", *files]
    assert result.argv == [*HEAD, *NEW_LOG, *SHUTDOWN, *flags, "--extra", "1", "--max-num-seqs", "9"]


@pytest.mark.parametrize("argument", [argument for argument in HOSTILE if argument != "''"])
def test_args_reach_vllm_untouched(stand_in: StandIn, tmp_path: Path, argument: str) -> None:
    result = run(stand_in, with_args(["--first", argument, "--last"]), cwd=tmp_path)
    assert result.argv is not None
    assert result.argv[-3:] == ["--first", argument, "--last"]
    assert not list(tmp_path.iterdir())


def test_kubernetes_expands_variables_in_args(stand_in: StandIn) -> None:
    result = run(stand_in, with_args(["--dir=$(HOME)", "$$(HOME)"]))
    assert result.argv is not None
    assert result.argv[-2:] == ["--dir=/home", "$(HOME)"]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("'{\"a\": 1}'", '{"a": 1}'),
        ("''", ""),
        ("'$(touch x)'", "$(touch x)"),
        ("'a' 'b'", "'a' 'b'"),
        ("--flag='x'", "--flag='x'"),
        ("'open", "'open"),
    ],
)
def test_single_quotes_around_a_whole_argument_are_taken_off(
    stand_in: StandIn, tmp_path: Path, argument: str, expected: str
) -> None:
    result = run(stand_in, with_args([argument]), cwd=tmp_path)
    assert result.argv == [*HEAD, *NEW_LOG, *SHUTDOWN, expected]
    assert not list(tmp_path.iterdir())


NAMES = [name for name in HOSTILE if name.isprintable() and name == name.strip() and name]


@pytest.mark.parametrize("name", [*NAMES, "org/model", "a$(HOME)b", "a$$b", "$($(HOME))", "$"])
def test_model_names_reach_vllm_untouched(stand_in: StandIn, tmp_path: Path, name: str) -> None:
    result = run(stand_in, {"model": {"uri": "hf://org/tiny", "name": name}}, cwd=tmp_path)
    assert result.argv is not None
    assert result.argv[3:6] == ["--served-model-name", name, f"publishers/llm/models/{name}"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  \t\n ", []),
        ("--a 1\n--b\t2 ", ["--a", "1", "--b", "2"]),
        ("""--kv '{"a": "b c"}'""", ["--kv", '{"a": "b c"}']),
        ("""--kv='{"a":1}'""", ['--kv={"a":1}']),
        ('--json "{\\"a\\": 1}"', ["--json", '{"a": 1}']),
        (r'"a\b" "\$x" "\\"', [r"a\b", "$x", "\\"]),
        (r"a\ b \'c\' \"", ["a b", "'c'", '"']),
        ("'' \"\"", ["", ""]),
        ("a'b'\"c\"d", ["abcd"]),
        ("a\\\nb", ["ab"]),
        ("$(touch x) `touch x` ; touch x", ["$(touch", "x)", "`touch", "x`", ";", "touch", "x"]),
        ("${HOME} \"${HOME}\" '$HOME' *", ["${HOME}", "${HOME}", "$HOME", "*"]),
        ("# no comment", ["#", "no", "comment"]),
        ("模型 'ü b'", ["模型", "ü b"]),
        ("'open", None),
        ('"open', None),
        ('"a\\', None),
        ("a\\", None),
    ],
)
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_additional_args_are_split_as_a_shell_would(
    stand_in: StandIn, text: str, words: list[str] | None, locale: str
) -> None:
    result = run(stand_in, env={"VLLM_ADDITIONAL_ARGS": text, "LC_ALL": locale})
    if words is None:
        assert (result.status, result.argv) == (64, None)
        assert "VLLM_ADDITIONAL_ARGS can't be split into words" in result.errors
    else:
        assert result.argv == [*HEAD, *NEW_LOG, *SHUTDOWN, *words]
        assert result.errors == ""


# shlex differs from a shell in two points, which the table above fixes: a backslash before $, ` or a line's end.
@given(st.lists(st.sampled_from(["'", '"', "\\", " ", "\n", "a", "b c", "{", "=", ";", "ü"]), max_size=12))
@example(["'", '"', "'"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_splitting_agrees_with_shlex(stand_in: StandIn, parts: list[str]) -> None:
    text = "".join(parts).replace("\\\n", "\\a")
    try:
        expected: list[str] | None = shlex.split(text)
    except ValueError:
        expected = None
    assert words_of(stand_in, text) == expected


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=4))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_quoted_words_survive(stand_in: StandIn, words: list[str]) -> None:
    assert words_of(stand_in, shlex.join(words)) == words


def test_script_writes_no_file_and_needs_few_tools(stand_in: StandIn) -> None:
    # The stand-in's PATH holds TOOLS alone: no python3, no mktemp, no ls; /tmp may be read-only or missing.
    result = run(stand_in, env={"VLLM_ADDITIONAL_ARGS": "--a 'b c'", "TMPDIR": "/nonexistent"}, cwd=Path("/"))
    assert result.argv == [*HEAD, *NEW_LOG, *SHUTDOWN, "--a", "b c"]
    assert result.errors == ""
