"""What a Helm chart left in a document is said; all other braces are anybody's."""

from pathlib import Path

import pytest

from loco.spec.document import read_document
from loco.spec.yaml_reader import read_yaml
from tests.spec.spec_stacks import stack

SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: hf://a/b}
  annotations: {a: "%s"}
"""
LEFT = [
    "{{ .Values.image }}",
    "{{- .Values.image -}}",
    "a {{ .Release.Name }} b",
    "{{ $.Values.x }}",
    "{{ default 1 .Values.x }}",
    "{{ (.Values.x) }}",
    "{{ .Chart.Name | quote }}",
    "{{ .Capabilities.KubeVersion }}",
    "{{ include 'x' . }}".replace("'", "`"),
    "{{ toYaml .Values.x | nindent 4 }}",
    "{{ tpl $x . }}",
    "{{ if .Values.x }}",
    "{{ .Values.x",
]
OTHERS = [
    "{{ messages }}",
    "{{ .Labels.Values }}",
    "{{ $labels.release }}",
    "{{ x.Values }}",
    "{% include 'x' %}",
    "{{ included }}",
    ".Values.x",
    "{{ include }}",
    "{{ .Spec.Model.Name }}",
]


@pytest.mark.parametrize("text", LEFT)
def test_left_over(text: str) -> None:
    [tree], _ = read_yaml(SERVICE % text, "m.yaml", "service")
    document, [finding] = read_document(tree, "llm")
    assert document is not None
    assert (finding.code, finding.severity, finding.path) == ("LOCO-TEMPLATE", "warning", "spec.annotations.a")
    assert finding.subject == "LLMInferenceService/llm/chat"
    assert str(finding.value) in text
    assert str(finding.value).startswith("{{")
    assert finding.origin is not None
    assert finding.origin.line == 6


@pytest.mark.parametrize("text", OTHERS)
def test_anybodys(text: str) -> None:
    [tree], _ = read_yaml(SERVICE % text, "m.yaml", "service")
    assert read_document(tree, "llm")[1] == []


# A document of a model file, and where the expression stands.
DOCUMENTS = {
    "metadata of a service": (SERVICE.replace("{name: chat}", "{name: chat, annotations: {b: '%s'}}") % ("{{ .Release.Name }}", "x"), 'metadata.annotations.b'),
    "an external model": (
        "apiVersion: locostack.com/v1alpha1\nkind: ExternalModel\nmetadata: {name: gpt}\n"
        "spec: {provider: openai, model: '{{ .Values.model }}', url: https://api.openai.com/v1}\n",
        "spec.model",
    ),
    "a ConfigMap": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: '{{ .Chart.Name }}'}\n",
        "data.a",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "path"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_kind(text: str, path: str) -> None:
    [tree], _ = read_yaml(text, "m.yaml", "service")
    [finding] = read_document(tree, "llm")[1]
    assert (finding.code, finding.severity, finding.path) == ("LOCO-TEMPLATE", "warning", path)


@pytest.mark.parametrize(
    "layer", ["defaults: {LLMInferenceService: LAYER}", "overrides: {LLMInferenceService/chat: LAYER}"]
)
def test_layers_of_the_config(root: Path, layer: str) -> None:
    config = layer.replace("LAYER", "{spec: {labels: {a: '{{ .Values.a }}'}}}")
    [finding] = [finding for finding in stack(root, config).findings if finding.severity == "warning"]
    assert finding.code == "LOCO-TEMPLATE"
    assert finding.path.endswith(".spec.labels.a")
