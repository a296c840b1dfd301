"""Templates in a folder of presets of one's own: what is wrong with them is said once, with what to write instead."""

from pathlib import Path

import pytest

from loco.model import Finding, Origin
from loco.plan import plan_stack
from tests.layers.lookup_stacks import read, service

PRESET = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: NAME}
spec:
  labels: {a: b}
  annotations:
    text: '%s'
"""
USED, UNUSED = "config-llm-template", "config-llm-decode-template"


def findings(tmp_path: Path, text: str, name: str = UNUSED, **scripts: str) -> list[Finding]:
    preset = (PRESET % text.replace("'", "''")).replace("NAME", name)
    plan = plan_stack(read(tmp_path, service(), preset=preset, **scripts))
    return [finding for finding in plan.findings if finding.code == "LOCO-TEMPLATE"]


# A Go expression, and the Jinja2 that the cure shows.
GO = [
    ("tcp://{{ ChildName .ObjectMeta.Name `-x` }}:5557", "{{ child_name('-x') }}:"),
    ("{{ .ObjectMeta.Name }}", "{{ name }}:"),
    ("{{- .ObjectMeta.Namespace -}}", "{{ namespace }}:"),
    ("{{ .Spec.Model.Name }}", "{{ spec.model.name }}:"),
    ("{{ .Spec.Parallelism.DataRPCPort }}", "{{ spec.parallelism.dataRPCPort }}:"),
    ("{{ .GlobalConfig.IngressGatewayName }}", "{{ gateway.name }}:"),
    ("{{ printf `%s` .ObjectMeta.Name }}", "{{ name }}, {{ spec.model.uri }}"),
    ("{{ if .Spec.Prefill }}x{{ end }}", "{{ name }}, {{ spec.model.uri }}"),
    ("{{ index .ObjectMeta.Labels `a.b/c` }}", "{{ name }}, {{ spec.model.uri }}"),
    ("{{ .Values.image }}", "{{ name }}, {{ spec.model.uri }}"),
    ("{{ range .Items }}", "{{ name }}, {{ spec.model.uri }}"),
]


@pytest.mark.parametrize("name", [USED, UNUSED])
@pytest.mark.parametrize(("text", "jinja"), GO)
def test_go_expressions_are_shown_in_jinja(tmp_path: Path, text: str, jinja: str, name: str) -> None:
    [finding] = findings(tmp_path, text, name)
    assert finding.cure.startswith(jinja)
    assert "presets in a folder are Jinja2; Go expressions belong into LLMInferenceServiceConfig" in finding.cure
    assert (finding.path, finding.subject) == ("spec.annotations.text", f"LLMInferenceServiceConfig/{name}")
    assert finding.origin == Origin(f"preset:{name}", "own/preset.yaml", 7)


def test_jinja_gone_wrong_is_no_go(tmp_path: Path) -> None:
    [finding] = findings(tmp_path, "{{ name")
    assert "Jinja2 that is whole" in finding.cure


@pytest.mark.parametrize("name", [USED, UNUSED])
def test_a_script_that_is_not_there(tmp_path: Path, name: str) -> None:
    [finding] = findings(tmp_path, "{% include 'start.sh' %}", name)
    assert "there is no script start.sh" in finding.message
    assert finding.cure.startswith("it at own/scripts/start.sh, or the name of one of group.sh, ")
    assert "vllm-serve.sh" in finding.cure


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a\n{{ .ObjectMeta.Name }}", 2, "{{ name }}:"),
        ("a\n\n{% include 'no.sh' %}", 3, "own/scripts/no.sh"),
        ("a\n{{ if .ObjectMeta.Labels }}b{{ end }}", 2, "{% if … %}"),
        ("{{ name|nofilter }}", 1, "docs/presets.md"),
    ],
)
@pytest.mark.parametrize("including", ["x", "{% include 'mine.sh' %}"])
def test_scripts_that_nobody_includes_are_read_too(
    tmp_path: Path, text: str, line: int, words: str, including: str
) -> None:
    [finding] = findings(tmp_path, including, USED, mine_sh=text)
    assert finding.origin == Origin("presets", "own/scripts/mine.sh", line)
    assert words in finding.cure


def test_what_depends_on_the_service_waits_for_one(tmp_path: Path) -> None:
    assert findings(tmp_path, "{{ nobody }} {% include spec.model.name %}") == []
    [finding] = findings(tmp_path, "{{ nobody }}", USED)
    assert finding.subject == "LLMInferenceService/llm/chat"
