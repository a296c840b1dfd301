"""Markdown, text and JSON: what stands first, what is escaped, what is cut, what is hidden."""

import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from loco.cli.report.cause import Cause, flag_text, value_text
from loco.cli.report.markdown import LONGEST_COMMENT, as_comment, as_markdown, code, marker_of
from loco.cli.report.report import Part, Report, Total
from loco.model import Finding, Origin
from tests.cli.report.conftest import Repository

Run = Callable[..., Any]


def report(*parts: Part, **more: Any) -> Report:
    return Report("dev", "origin/main", True, parts, {"nvidia.com/gpu": Total(1, 2, False)}, **more)


def part(number: int = 0, **more: Any) -> Part:
    causes = (Cause("image", "a|b", "c`d<script>@all", Origin("service", "models/a|b.yaml", 3)),)
    return Part(f"LLMInferenceService/llm/chat-{number}", "changed", causes=causes, **more)


def test_the_summary_is_first(loco: Run, repository: Repository) -> None:
    repository.engine(image="registry.example/vllm:v2")
    done = loco("report", "--base", "HEAD", "-o", "markdown")
    lines = done.out.splitlines()
    assert lines[0] == "**`dev`: 1 changed; 2 pods restart (4 GPUs)**"
    [row] = [line for line in lines if line.startswith("| LLMInferenceService")]
    where = "`models/chat.yaml:13 (service)`"
    change = "`image` `registry.example/vllm:v1 → registry.example/vllm:v2`"
    assert (
        row
        == f"| LLMInferenceService `llm/chat` | changed | `chat-kserve`: 2 pods × 2 GPUs restart | {change} at {where} |"
    )


def test_text_of_users_is_no_markup() -> None:
    text = as_markdown(report(part(), notes=("a <b>note</b> of @all | *x*",)))
    [row] = [line for line in text.splitlines() if line.startswith("| LLM")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert "``a\\|b → c`d<script>@all``" in row
    assert "a &lt;b&gt;note&lt;/b&gt; of &#64;all \\| \\*x\\*" in text
    title = Part("LLMInferenceService/llm/</summary>@all", "changed", others=("Service x added",))
    assert f"<summary><code>{html.escape(title.subject).replace('@', '&#64;')}: changed</code>" in as_markdown(
        report(title)
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("``", "``` `` ```"),
        ("", "` `"),
        ("a\nb\x1b[2J", "`a b [2J`"),
        ("a|b", "`a|b`"),
    ],
)
def test_code(text: str, written: str) -> None:
    assert code(text) == written


def test_the_marker_is_the_first_line_and_stays_the_same() -> None:
    first = as_comment(report(part())).partition("\n")[0]
    assert first == as_comment(report(part(1), part(2))).partition("\n")[0] == "<!-- loco-report: dev -->"
    assert marker_of("a-->b\n") == "<!-- loco-report: a--_b_ -->"


@pytest.mark.parametrize("parts", [1, 60, 400, 3000])
def test_a_comment_is_no_longer_than_it_may_be(parts: int) -> None:
    many = tuple(part(number, others=tuple(f"Service {index} added" for index in range(20))) for number in range(parts))
    text = as_comment(report(*many))
    assert len(text) <= LONGEST_COMMENT
    assert text.startswith("<!-- loco-report: dev -->\n**`dev`: ")
    assert ("The report is cut here" in text) is (parts > 60)
    assert text.count("<details>") == text.count("</details>")


def test_what_the_engine_says_has_an_end() -> None:
    assert len(as_comment(report(failed=("x" * 10**6,)))) < 12_000


def test_a_comment_of_what_can_not_be_read(loco: Run, repository: Repository) -> None:
    done = loco("report", "--base", "nowhere", "--comment")
    assert done.status == 1
    assert done.out.startswith("<!-- loco-report: dev -->\n**`dev`: no report: 1 error**")
    assert "LOCO-REFERENCE" in done.out


def test_json_and_text_of_what_can_not_be_read(loco: Run, repository: Repository) -> None:
    assert json.loads(loco("report", "--base", "nowhere", "-o", "json").out)["findings"][0]["code"] == "LOCO-REFERENCE"
    done = loco("report", "--base", "nowhere")
    assert (done.out, "LOCO-REFERENCE" in done.err) == ("", True)


@pytest.mark.parametrize("arguments", [(), ("--comment", "--base", "HEAD", "-o", "json"), ("--base", "HEAD", "a.yaml")])
def test_wrong_usage(loco: Run, repository: Repository, arguments: tuple[str, ...]) -> None:
    assert loco("report", *arguments).status == 2


def test_nothing_in_text_moves_a_cursor(loco: Run, repository: Repository) -> None:
    repository.engine(env=[{"name": "LEVEL", "value": "a\x1b[2Jb"}])
    assert "\x1b" not in loco("report", "--base", "HEAD").out


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("--api-key", "sk-123", "(hidden)"),
        ("--api-key", "123456", "(hidden)"),
        ("--hf-token", "hf_x", "(hidden)"),
        ("--max-num-batched-tokens", "8192", "8192"),
        ("--max-num-batched-tokens", "sk-123", "(hidden)"),
        ("--tokenizer", "org/model", "org/model"),
        ("--model", "sk-abcdefghijklmnop", "(hidden)"),
        ("--url", "https://user:word@host/x", "https://(hidden)@host/x"),
        ("--trust-remote-code", "", "on"),
        ("--config-text", "a\nb\n", "text of 2 lines"),
        ("--port", None, None),
    ],
)
def test_flags_that_could_hold_a_secret(name: str, value: str | None, shown: str | None) -> None:
    assert flag_text(name, value) == shown


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        ("image", "registry.example/vllm:v1", "registry.example/vllm:v1"),
        ("spec.auth.apiKey", "x", "(hidden)"),
        ("args", ["--api-key", "x"], '["--api-key", "(hidden)"]'),
        ("image", "x" * 200, "x" * 79 + "…"),
        ("replicas", 2, "2"),
        ("tls", False, "false"),
        ("env.A", "", '""'),
        ("env.A", "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "(known after the update)"),
    ],
)
def test_values(path: str, value: Any, shown: str) -> None:
    assert value_text(value, path) == shown


def test_findings_come_along(loco: Run, repository: Repository) -> None:
    repository.configure(platform={"spareGpus": 0})
    repository.chat(replicas=1)
    for form in ("text", "markdown", "json"):
        assert "LOCO-ROLLOUT-GAP" in loco("report", "--base", "HEAD", "-o", form).out
    finding = Finding("LOCO-VALUE", "error", "spec.x", "`a` | @b", "c")
    assert "error[LOCO-VALUE]: `a` | @b" in as_markdown(report(findings=(finding,)))
