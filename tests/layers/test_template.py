"""Templates of presets, which are expanded after merging; those of KServe are in test_go_templates."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loco.layers.catalog import NEWEST, profile
from loco.layers.template import expand
from loco.layers.values import context, shutdown_timeout
from loco.model import Finding, Origin
from loco.spec import LLMInferenceServiceSpec
from loco.spec.presets import Script
from loco.spec.tree import at, leaves, plain, plant

GATEWAY = {"name": "shared", "namespace": None}
SETTINGS = profile("safe", NEWEST).settings
PRESET = Origin("preset:p", "presets/p.yaml", 1)


def expanded(text: str, origin: Origin = PRESET, *, name: str = "chat", **spec: Any) -> tuple[Any, list[Finding]]:
    values = context(LLMInferenceServiceSpec.model_validate(spec), name, "llm", False, GATEWAY, SETTINGS)
    tree, findings = expand(plant({"template": {"hostname": text}}, origin), values, "subject")
    return plain(tree)["template"]["hostname"], findings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ name }}/{{ namespace }}", "chat/llm"),
        ("{{ scheme }} {{ engine_port }}", "HTTP 8000"),
        ("{% for n in served_names %}[{{ n }}]{% endfor %}", "[chat][publishers/llm/models/chat]"),
        ("{% if spec.parallelism.tensor %}tp{% endif %}", ""),
        ("{% if spec.replicas is none %}unset{% endif %}", "unset"),
        ("{{ shutdown_timeout(spec.template, 15) }}", "40"),
        ("{{ gateway.name }}/{{ gateway.namespace }}", "shared/"),
        ("{{ publisher }} {{ routing_header }}", "publishers/llm/models/chat X-Gateway-Model-Name"),
        ("{{ child_name('-inference-pool') }}", "chat-inference-pool"),
        ("${#list[@]}", "${#list[@]}"),
        ("no braces", "no braces"),
    ],
)
def test_presets(text: str, expected: str) -> None:
    assert expanded(text) == (expected, [])


HOSTILE = [
    "a b",
    "a'b",
    'a"b',
    "$(rm -rf /)",
    "`id`",
    "{{ 1 }}",
    "{% include 'x' %}",
    "a\nb",
    "a\\",
    "; rm",
    "模型",
    "'",
    "-x",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_odd_model_names_stay_one_word(name: str) -> None:
    text, findings = expanded("vllm{% for n in served_names %} {{ n | sh }}{% endfor %}", model={"name": name})
    assert findings == []
    assert shlex.split(text) == ["vllm", name, f"publishers/llm/models/{name}"]


@given(st.text(min_size=1))
def test_any_model_name_stays_one_word(name: str) -> None:
    text, _ = expanded("vllm {{ served_names[0] | sh }}", model={"name": name})
    assert shlex.split(text) == ["vllm", name]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ nobody }}", "'nobody' is undefined"),
        ("{{ spec.nobody }}", "nobody"),
        ("{{ spec.kvCacheOffloading.cpu }}", "None"),
        ("{{ ().__class__ }}", "__class__"),
        ("{{ ''.__class__.__mro__ }}", "__class__"),
        ("{{ served_names.append('x') }}", "unsafe"),
        ("{{ spec.update({}) }}", "unsafe"),
        ("{{ shutdown_timeout.__globals__ }}", "__globals__"),
        ("{{ range(3) }}", "'range' is undefined"),
        ("{{ lipsum() }}", "'lipsum' is undefined"),
        ("{% include '/etc/passwd' %}", "/etc/passwd"),
        ("{% include '../config-llm-template.yaml' %}", "config-llm-template"),
        ("{{ 1 / 0 }}", "division"),
        ("{{ name", "end of"),
        ("{% if %}", "Expected"),
    ],
)
def test_what_a_preset_may_not_do(text: str, reason: str) -> None:
    _, [finding] = expanded(text)
    assert (finding.code, finding.severity, finding.path) == ("LOCO-TEMPLATE", "error", "spec.template.hostname")
    assert finding.origin == PRESET
    assert reason in finding.message


def test_the_template_stays_known_as_what_was_overridden() -> None:
    values = context(LLMInferenceServiceSpec(), "chat", "llm", False, {}, SETTINGS)
    tree, _ = expand(plant({"labels": {"a": "{{ name }}", "b": "plain"}}, PRESET), values, "subject")
    found = {path[-1]: leaf for path, leaf in leaves(tree)}
    assert found["a"].overrode is not None  # type: ignore[union-attr]
    assert plain(found["a"].overrode) == "{{ name }}"  # type: ignore[union-attr]
    assert found["b"].overrode is None  # type: ignore[union-attr]
    assert at(tree, ("labels", "a")).origin == PRESET  # type: ignore[union-attr]


@pytest.mark.parametrize(("grace", "expected"), [(None, 40), (120, 100), (30, 10), (10, 0), (0, 0), (3, 0)])
def test_shutdown_timeout(grace: int | None, expected: int) -> None:
    pod = None if grace is None else {"terminationGracePeriodSeconds": grace}
    assert shutdown_timeout(pod, 15) == expected
    if grace is None:
        assert shutdown_timeout({}, 15) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{% include 'me.sh' %}", "includes or calls itself"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "includes or calls itself"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "nests too deeply"),
        ("{{ 'a' * 10**9 }}", "more than 1048576 characters"),
        ("{{ 10**9 * 'a' }}", "more than 1048576 characters"),
        ("{{ [1] * 10**9 }}", "more than 1048576 characters"),
        ("{% set l = [1] * 40 %}" + "{% for a in l %}" * 5 + "x" + "{% endfor %}" * 5, "more than 10000 steps"),
        ("{{ 9**99 }}", "a power above 64"),
        ("{{ 9**60**60 }}", "a power above 64"),
        ("{{ name|xmlattr }}", "No filter named 'xmlattr'"),
        ("{{ name.encode('zzz') }}", "unknown encoding"),
        ("{{ served_names|random }}", "No filter named 'random'"),
        ("{{ name.upper }}", "gives a builtin_function_or_method"),
        ("{{ served_names|map('upper') }}", "gives a generator"),
        ("{{ self }}", "gives a TemplateReference"),
        ("{{ spec.replicas }}", "has no value here (None)"),
        ("{{ '\\ud83d' }}", "half a character"),
        ("{% include 'nobody.sh' %}", "there is no script nobody.sh"),
    ],
)
def test_a_template_that_fails_in_any_way_is_a_finding(text: str, reason: str) -> None:
    values = context(LLMInferenceServiceSpec(), "chat", "llm", False, GATEWAY, SETTINGS)
    scripts = {"me.sh": Script("{% include 'me.sh' %}", "own/scripts/me.sh")}
    _, [finding] = expand(plant({"template": {"hostname": text}}, PRESET), values, "subject", scripts)
    assert (finding.code, finding.path) == ("LOCO-TEMPLATE", "spec.template.hostname")
    assert reason in finding.message
    assert finding.cure
