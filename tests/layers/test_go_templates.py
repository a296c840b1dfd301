"""KServe's template expressions: each entry of the table is one idea; then limits, published samples, whole stacks."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from loco.layers.go_expression import is_config
from loco.layers.go_template import Service, check_expressions, expand_expressions
from loco.model import Finding, Origin, errors_of
from loco.plan import plan_stack
from loco.spec import LLMInferenceServiceSpec, StackSpec, read_files
from loco.spec.tree import Branch, Leaf, Node, at, leaves, plain, plant

TABLE = yaml.safe_load((Path(__file__).parent / "go_templates.yaml").read_text())
HERE = Origin("service", "m.yaml", 1)
METADATA = plant({"labels": {"team": "search", "a.b/c": "x"}}, HERE)
SHOP = "llm-shop-with-a-name-that-is-a-good-deal-longer-than-usual"


def service(name: str = "chat", *, tls: bool = False) -> Service:
    assert isinstance(METADATA, Branch)
    gateway = {"name": "shared", "namespace": "infra"}
    return Service(name, "llm", "LLMInferenceService/llm/chat", METADATA, tls, gateway)


def expanded(
    text: str, layer: str = "service", spec: dict[str, Any] | None = None, of: Service | None = None
) -> tuple[Any, list[Finding]]:
    rest = plant(spec or {}, HERE)
    assert isinstance(rest, Branch)
    tree = Branch({**rest.items, "annotations": plant({"x": text}, Origin(layer, "b.yaml", 3))}, HERE)
    result, findings = expand_expressions(tree, of or service())
    return plain(result)["annotations"]["x"], findings


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["idea"]) for entry in TABLE])
def test_table(entry: dict[str, Any]) -> None:
    assert entry.keys() <= {"idea", "text", "layer", "spec", "result", "error", "warning", "cure", "errors"}
    text, layer = entry["text"], entry.get("layer", "service")
    LLMInferenceServiceSpec.model_validate(entry.get("spec", {}))
    result, findings = expanded(text, layer, entry.get("spec"))
    if "result" in entry:
        assert result == (text if entry["result"] == "same" else entry["result"])
    else:
        assert result == text
    errors = [finding for finding in findings if finding.path == "spec.annotations.x"]
    told = entry.get("error") or entry.get("warning")
    assert len(errors) == entry.get("errors", 1 if told else 0), errors
    for finding in errors:
        assert (finding.code, finding.origin) == ("LOCO-TEMPLATE", Origin(layer, "b.yaml", 3))
        assert finding.severity == ("error" if "error" in entry else "warning")
        assert str(finding.value) in text
        config = layer.partition(":")[2]
        subject = f"LLMInferenceServiceConfig/llm/{config}" if config else "LLMInferenceService/llm/chat"
        assert finding.subject == subject
    if told:
        assert told in errors[0].message
        assert entry.get("cure", "") in errors[0].cure


def test_every_idea_stands_once() -> None:
    ideas = [entry["idea"] for entry in TABLE]
    assert len(set(ideas)) == len(ideas)


LONG = "my-very-long-llm-inference-service-name-for-qwen2-7b-instruct"
TEAM = "team-namespace-with-long-name"


@pytest.mark.parametrize(
    ("parent", "suffix", "name"),
    [
        ("llm", "-kserve", "llm-kserve"),
        (LONG, "-kserve", "my-very-long-llm-inferen320b4c01120f36a1e338e1ebe336b9d8-kserve"),
        (LONG, "-inference-pool", "my-very-long-llm320b4c01120f36a1e338e1ebe336b9d8-inference-pool"),
        (LONG, "-kserve-self-signed-certs", "my-ver320b4c01120f36a1e338e1ebe336b9d8-kserve-self-signed-certs"),
        (TEAM, f"-{LONG}-epp-auth-rb", "team-namespace-with-long-namefddfa1cbdba72ba1359987859d4693bb-m"),
        ("ns", f"-{LONG}-epp-auth-rb", "ns90b5e1f6dbe49df87b2cfc9766f795aa-my-very-long-llm-inference-s"),
    ],
)
def test_child_names(parent: str, suffix: str, name: str) -> None:
    assert expanded(f"{{{{ ChildName .ObjectMeta.Name `{suffix}` }}}}", of=service(parent)) == (name, [])


def test_tls_is_a_condition() -> None:
    text = "{{ if .GlobalConfig.EnableTLS }}--ssl{{ end }}"
    assert expanded(text, of=service(tls=True)) == ("--ssl", [])
    assert expanded(text, of=service(tls=False)) == ("", [])


def test_an_expanded_leaf_knows_its_template() -> None:
    tree = plant({"annotations": {"a": "{{ .ObjectMeta.Name }}", "b": "{{ x }}"}}, HERE)
    result, findings = expand_expressions(tree, service())
    assert findings == []
    a, b = at(result, ("annotations", "a")), at(result, ("annotations", "b"))
    assert isinstance(a, Leaf)
    assert (a.value, a.origin) == ("chat", HERE)
    assert a.overrode is at(tree, ("annotations", "a"))
    assert b is at(tree, ("annotations", "b")), "a leaf that stays has no history of its own"


def test_a_tree_without_expressions_is_the_same_object() -> None:
    tree = plant({"annotations": {"a": "{ {", "b": '{"a": {"b": 1}}', "c": 3}}, HERE)
    assert expand_expressions(tree, service())[0] is tree


# ---------------------------------------------------------------- whatever is written
_PIECES = st.sampled_from(
    ["{{", "}}", "{", "}", "{%", "%}", " ", "\n", ".", "messages", "$x", "if", "end", "else", "-", "`", '"', "'", "|", "(", ")", "/*", "or", "1"]
)  # fmt: skip
_OURS = st.sampled_from([".Spec", ".ObjectMeta.Name", ".GlobalConfig", "ChildName", "{{ .Spec.Model.Name }}", "eq"])


@given(st.lists(_PIECES | st.text(max_size=3)).map("".join))
def test_text_without_an_expression_is_unchanged(text: str) -> None:
    result, findings = expanded(text)
    assert result == text
    assert errors_of(findings) == ()


@given(st.lists(_PIECES | _OURS).map("".join), st.sampled_from(["service", "baseRef:b"]))
def test_never_raises(text: str, layer: str) -> None:
    result, findings = expanded(text, layer)
    assert isinstance(result, str)
    if errors_of(findings):
        assert result == text
    if is_config(layer) and "{{" in text:
        assert result != text or findings


@pytest.mark.parametrize("layer", ["service", "baseRef:b"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{{ " + "(" * 5000 + ".Spec" + ")" * 5000 + " }}", id="parentheses"),
        pytest.param("{{ .Spec.Model.Name " * 50_000, id="expressions without end"),
        pytest.param("{" * 100_000, id="braces"),
        pytest.param("{{" * 100_000 + "}}", id="braces with an end"),
        pytest.param("{{ " * 100_000 + "}}" * 100_000, id="spaced braces"),
        pytest.param("{{ if .Spec.Prefill }}" * 20_000, id="groups"),
        pytest.param("{{ if .Spec }}" * 500 + "{{ end }}" * 500, id="deep groups"),
        pytest.param("{{.Spec `" * 50_000, id="backticks"),
        pytest.param('{{.Spec "' * 50_000, id="quotes"),
        pytest.param("{{`" + "{x" * 300_000, id="a literal without end"),
        pytest.param("{{/* " * 100_000, id="comments without end"),
        pytest.param("{{ or " + "1 " * 100_000 + "}}", id="arguments"),
        pytest.param("{{ or .Spec" + " " * 500_000, id="spaces"),
        pytest.param("{{- " * 100_000, id="trim markers"),
        pytest.param("{{ .Spec" + ".A" * 200_000 + " }}", id="fields"),
        pytest.param("{{ .Spec.Replicas " + "9" * 100_000 + " }}", id="digits"),
        pytest.param("{{ .Spec.Model.Name }}" * 50_000, id="many expressions"),
        pytest.param("a" * 1_000_000 + "{{ x }}" * 10_000, id="a megabyte"),
    ],
)
def test_hostile_text_is_fast_and_safe(text: str, layer: str) -> None:
    start = time.perf_counter()
    result, findings = expanded(text, layer)
    assert time.perf_counter() - start < 2, "in proportion to its length"
    assert len(result) <= len(text)
    assert len(findings) <= 1100
    assert layer == "service" or errors_of(findings)


def test_a_text_does_not_grow_without_end() -> None:
    text = "{{ .Spec.Model.Name }}" * 500
    result, [finding] = expanded(text, spec={"model": {"name": "n" * 10_000}})
    assert result == text
    assert "grows by more than" in finding.message


@pytest.mark.parametrize(
    "names", [".__class__", ".Spec.__class__", ".Spec.items", ".ObjectMeta.items", ".Spec.Model.__init__.__globals__"]
)
def test_nothing_but_data_is_reached(names: str) -> None:
    result, [finding] = expanded(f"{{{{ {names} }}}}", "baseRef:b")
    assert "there is no" in finding.message
    assert result == f"{{{{ {names} }}}}"


# ---------------------------------------------------------------- whole stacks
CONFIG = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: base}
spec:
  annotations: {one: "{{ .Spec.Replicas }}-{{ .ObjectMeta.Name }}"%s}
"""
SERVICE = """\
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: "hf://a/b", name: "{{ .ObjectMeta.Name }}-v2"}
  replicas: 3
  baseRefs: [{name: base}]
"""


def stack_of(folder: Path, text: str, **config: Any) -> StackSpec:
    (folder / "m.yaml").write_text(text)
    return read_files([folder / "m.yaml"], "llm", config)


def test_values_of_every_layer_are_seen(tmp_path: Path) -> None:
    plan = plan_stack(stack_of(tmp_path, CONFIG % "" + SERVICE))
    assert plan.errors == ()
    [resolved] = plan.resolved
    assert plain(at(resolved.tree, ("annotations", "one")) or resolved.tree) == "3-chat"
    assert resolved.model_name == "chat-v2"
    assert "publishers/llm/models/chat-v2" in str([manifest.data for manifest in plan.manifests])
    assert "{{" not in str([manifest.data for manifest in plan.manifests]), "presets see what was expanded"


@pytest.mark.parametrize("used", [True, False])
def test_a_config_is_judged_used_or_not(tmp_path: Path, used: bool) -> None:
    text = CONFIG % ', two: "{{ .Spec.Modell }}", three: "{{ messages }}"' + (SERVICE if used else "")
    stack = stack_of(tmp_path, text)
    found = [f for f in plan_stack(stack).findings if f.code == "LOCO-TEMPLATE"]
    assert [finding.path for finding in found] == ["spec.annotations.two", "spec.annotations.three"], "each once"
    assert found == check_expressions(stack)
    for finding in found:
        assert finding.origin is not None
        assert (finding.origin.layer, finding.origin.line) == ("baseRef:base", 5)
        assert finding.subject == "LLMInferenceServiceConfig/llm/base"


def test_an_unused_config_may_name_what_nobody_sets(tmp_path: Path) -> None:
    assert check_expressions(stack_of(tmp_path, CONFIG % ', two: "{{ .Spec.Parallelism.Tensor }}"')) == []


def test_a_replacing_config_is_read_strictly_and_said_once(tmp_path: Path) -> None:
    text = (CONFIG % ', two: "{{ messages }}"').replace("name: base", "name: kserve-config-llm-template")
    plan = plan_stack(stack_of(tmp_path, text + SERVICE.replace("baseRefs: [{name: base}]", "")))
    [finding] = [finding for finding in plan.errors if finding.code == "LOCO-TEMPLATE"]
    assert finding.origin is not None
    assert finding.origin.layer == "config:kserve-config-llm-template"


def test_metadata_is_no_template(tmp_path: Path) -> None:
    text = SERVICE.replace("{name: chat}", '{name: chat, annotations: {x.y/z: "{{ .ObjectMeta.Name }}"}}')
    [resolved] = plan_stack(stack_of(tmp_path, CONFIG % ", two: x" + text)).resolved
    assert resolved.annotations == {"x.y/z": "{{ .ObjectMeta.Name }}"}


# ---------------------------------------------------------------- published samples
def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


def _samples(shared: Path) -> list[Path]:
    return sorted(f.parent for f in (shared / "goldens").glob("*/input.yaml") if "{{" in f.read_text())


def test_samples_expand_as_the_reference_did(shared: Path) -> None:
    """Every text with an expression in a published sample stands, expanded, among what the reference recorded."""
    compared = 0
    for golden in _samples(shared):
        documents = [document for document in yaml.safe_load_all((golden / "input.yaml").read_text()) if document]
        recorded = _texts(json.loads((golden / "expected.json").read_text())["objects"])
        [main] = [d for d in documents if d["kind"] == "LLMInferenceService"]
        namespace = json.loads((golden / "expected.json").read_text())["namespace"]
        root = plant(main["spec"], HERE)
        assert isinstance(root, Branch)
        for document in documents:
            strict = document["kind"] == "LLMInferenceServiceConfig"
            layer = Origin("baseRef:b" if strict else "service", "i.yaml", 1)
            for _, leaf in leaves(plant(document["spec"], layer)):
                if isinstance(leaf, Leaf) and "{{" in str(leaf.value):
                    tree: Node = Branch({**root.items, "annotations": Branch({"x": leaf}, layer)}, layer)
                    of = Service(main["metadata"]["name"], namespace, "s", Branch({}, HERE), False, {})
                    result, findings = expand_expressions(tree, of)
                    assert findings == []
                    text = plain(result)["annotations"]["x"]
                    if recorded:
                        assert text in recorded, (golden.name, text)
                        compared += 1
    assert compared or not _samples(shared), "nothing to compare"
