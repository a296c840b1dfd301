"""explain: who wrote each value, what it overrode, and the ways to name a service and a path."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SERVICE

Run = Callable[..., Any]
NS = ("--namespace", "llm")
IMAGE = "spec.template.containers[main].image"
TWO = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: base, namespace: one}
spec:
  replicas: 3
  labels: {a.b/c: low}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, namespace: one, labels: {team: search}}
spec:
  model: {uri: hf://a/b}
  baseRefs: [{name: base}]
  replicas: 5
  labels: {a.b/c: high}
  template:
    containers:
      - name: main
        command: [sh, -c, "echo {{ x }}\\nexit"]
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, namespace: two}
spec: {model: {uri: hf://a/c}}
---
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: m, url: "https://api.openai.com/v1"}
"""


@pytest.fixture
def two(folder: Path) -> str:
    (folder / "two.yaml").write_text(TWO)
    return "two.yaml"


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "Pulumi.yaml").write_text("name: loco\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(
        "config:\n  loco:files: [good.yaml]\n  loco:namespace: llm\n  loco:cluster: {context: c}\n"
        "  loco:defaults: {LLMInferenceService: {spec: {replicas: 7}}}\n"
        "  loco:overrides:\n    LLMInferenceService/good: {spec: {replicas: 2}}\n"
    )
    return folder


def entries(done: Any) -> dict[str, dict[str, Any]]:
    assert done.status == 0
    found = json.loads(done.out)
    by_path = {entry["path"]: entry for entry in found}
    assert len(by_path) == len(found), "each path once"
    return by_path


def test_the_tree_says_where_each_value_comes_from(loco: Run) -> None:
    done = loco("explain", "good.yaml", *NS)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:3] == ["# LLMInferenceService/llm/good", "# preset config-llm-template (presets 1)", "spec:"]
    [image] = [line for line in lines if "image: " in line]
    assert image.startswith('        image: "registry.example/vllm:v1"  ')
    assert "# good.yaml:7 (service); overrode" in image
    assert "(preset:config-llm-template)" in image
    assert any("expanded from" in line and 'scheme: "HTTP"' in line for line in lines)
    [script] = [line for line in lines if "# Starts vLLM" in line]
    assert " lines  #" in script
    assert done == loco("explain", "good.yaml", *NS), "the same bytes"


def test_the_head_says_what_took_part_and_from_where(loco: Run, project: Path) -> None:
    text = (project / "good.yaml").read_text()
    base = TWO.partition("---")[0].replace("namespace: one", "namespace: llm")
    (project / "good.yaml").write_text(text.replace("spec:", "spec:\n  baseRefs: [{name: base}, {name: own}]", 1))
    (project / "base.yaml").write_text(base)
    (project / "own").mkdir()
    (project / "own/p.yaml").write_text(base.replace("name: base, namespace: llm", "name: own"))
    config = project / "Pulumi.dev.yaml"
    config.write_text(
        config.read_text().replace("[good.yaml]", "[good.yaml, base.yaml]")
        + "  loco:presets: {version: 1, folder: own}\n"
    )
    done = loco("explain", "--stack", "dev", "good")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[1:5] == [
        "# preset config-llm-template (presets 1)",
        "# baseRef base (namespace llm)",
        "# baseRef own (folder own)",
        "spec:",
    ]
    below = loco("explain", "--stack", "dev", "good", "labels")
    assert below.out.splitlines()[:2] == ["# LLMInferenceService/llm/good", "spec.labels:"]
    assert 'own/p.yaml:6 (preset:own); overrode "low" of base.yaml:6 (baseRef:base)' in below.out


def test_json_has_every_value_once(loco: Run) -> None:
    found = entries(loco("explain", "good.yaml", *NS, "-o", "json"))
    image = found[IMAGE]
    assert image.keys() == {"path", "value", "layer", "file", "line", "expanded", "overrode"}
    assert (image["value"], image["layer"], image["file"], image["line"]) == (
        "registry.example/vllm:v1", "service", "good.yaml", 7,
    )  # fmt: skip
    [lower] = image["overrode"]
    assert (lower["layer"], lower["file"]) == ("preset:config-llm-template", "presets/config-llm-template.yaml")
    assert lower.keys() == {"value", "layer", "file", "line"}
    scheme = found["spec.template.containers[main].startupProbe.httpGet.scheme"]
    assert scheme["expanded"]
    assert [item["value"] for item in scheme["overrode"]] == ["{{ scheme }}"]
    assert not image["expanded"]


@pytest.mark.parametrize("profile", ["safe", "kserve"])
def test_every_path_that_is_printed_leads_back(loco: Run, profile: str) -> None:
    arguments = ("explain", "good.yaml", *NS, "--profile", profile, "-o", "json")
    for path, entry in entries(loco(*arguments)).items():
        assert entries(loco(*arguments, "--path", path))[path] == entry


@pytest.mark.parametrize("prefix", ["", "spec."])
@pytest.mark.parametrize("path", ["template.containers[main].image", "template.containers.0.image"])
def test_the_history_of_a_value(loco: Run, path: str, prefix: str) -> None:
    done = loco("explain", "good.yaml", "good", prefix + path, *NS)
    assert done.status == 0
    head, low, high = done.out.splitlines()
    assert head == f"# LLMInferenceService/llm/good: {IMAGE}"
    assert low.split()[0] == "preset:config-llm-template"
    assert high.split() == ["service", "good.yaml:7", '"registry.example/vllm:v1"']


def test_the_history_of_a_template(loco: Run) -> None:
    path = "template.containers[main].readinessProbe.httpGet.scheme"
    _, template, expanded = loco("explain", "good.yaml", "--path", path, *NS).out.splitlines()
    assert template.endswith('"{{ scheme }}"  (template)')
    assert expanded.endswith('"HTTP"  (expanded)')


def test_the_history_of_an_expression(loco: Run, folder: Path) -> None:
    low = "labels: {a.b/c: low}"
    config = low.replace("low", "'{{ .ObjectMeta.Name }}-{{ .Spec.Replicas }}'")
    (folder / "two.yaml").write_text(
        TWO.replace(low, config).replace("labels: {a.b/c: high}", 'annotations: {d: "{{ .ObjectMeta.Namespace }}"}')
    )
    found = entries(loco("explain", "two.yaml", "one/chat", *NS, "-o", "json"))
    label, note = found['spec.labels["a.b/c"]'], found["spec.annotations.d"]
    assert (label["value"], label["layer"], label["expanded"]) == ("chat-5", "baseRef:base", True)
    assert [lower["value"] for lower in label["overrode"]] == ["{{ .ObjectMeta.Name }}-{{ .Spec.Replicas }}"]
    assert (note["value"], note["layer"], note["expanded"]) == ("one", "service", True)
    _, template, expanded = loco("explain", "two.yaml", "one/chat", "annotations.d", *NS).out.splitlines()
    assert template.endswith('"{{ .ObjectMeta.Namespace }}"  (template)')
    assert expanded.endswith('"one"  (expanded)')


def test_a_value_of_many_lines_is_whole_in_its_history(loco: Run) -> None:
    done = loco("explain", "good.yaml", "--path", "template.containers[main].command[2]", *NS)
    assert " lines  (expanded)" in done.out
    assert "    | # Starts vLLM." in done.out


def test_all_layers_of_a_value(loco: Run, two: str) -> None:
    found = entries(loco("explain", two, "one/chat", "replicas", *NS, "-o", "json"))
    assert found["spec.replicas"]["overrode"] == [{"value": 3, "layer": "baseRef:base", "file": two, "line": 5}]


def test_a_list_that_replaced_another(loco: Run, two: str) -> None:
    found = entries(loco("explain", two, "one/chat", "template.containers[main].command", *NS, "-o", "json"))
    whole = found["spec.template.containers[main].command"]
    assert whole["value"] == ["sh", "-c", "echo {{ x }}\nexit"]
    assert whole["overrode"][0]["value"][0] == "/bin/bash"
    assert not found["spec.template.containers[main].command[2]"]["expanded"], "a service's braces are its own"
    text = loco("explain", two, "one/chat", "template.containers[main].command", *NS).out
    assert "command:" in text
    assert 'overrode ["/bin/bash"' in text
    assert '- "echo {{ x }}" … 2 lines' in text


@pytest.mark.parametrize("path", ['labels["a.b/c"]', "labels.a.b/c", "labels[a.b/c]", 'spec.labels["a.b\\u002fc"]'])
def test_a_key_with_dots(loco: Run, two: str, path: str) -> None:
    assert entries(loco("explain", two, "one/chat", path, *NS, "-o", "json")).keys() == {'spec.labels["a.b/c"]'}


def test_labels_of_the_metadata(loco: Run, two: str) -> None:
    done = loco("explain", two, "one/chat", "metadata.labels.team", *NS)
    assert done.out.splitlines()[1].split() == ["service", "two.yaml:10", '"search"']


def test_a_subtree(loco: Run) -> None:
    done = loco("explain", "good.yaml", "good", "model", *NS)
    head, model, uri = done.out.splitlines()
    assert (head, model) == ("# LLMInferenceService/llm/good", "spec.model:")
    assert uri.split() == ["uri:", '"hf://a/b"', "#", "good.yaml:5", "(service)"]


def test_other_kinds(loco: Run, two: str) -> None:
    done = loco("explain", two, "gpt", "provider", *NS)
    assert done.out.splitlines()[1].split() == ["service", "two.yaml:29", '"openai"']


def test_files_and_options(loco: Run, two: str) -> None:
    one = loco("explain", "good.yaml", two, "good", "replicas", *NS)
    assert one.status == 0
    assert one == loco("explain", two, "good.yaml", "--service", "llm/good", "--path", "replicas", *NS)
    assert one == loco("explain", two, "good.yaml", "replicas", "--service", "good", *NS)


def test_the_project(loco: Run, project: Path) -> None:
    done = loco("explain", "--stack", "dev", "good", "replicas")
    assert (done.status, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines()[1:]]
    assert lines == [
        ["defaults", "Pulumi.dev.yaml:5", "7"],
        ["service", "good.yaml:6", "1"],
        ["overrides", "Pulumi.dev.yaml:7", "2"],
    ]
    assert loco("explain").out == loco("explain", "--stack", "dev", "good").out
    (project / "Pulumi.dev.yaml").write_text((project / "Pulumi.dev.yaml").read_text().replace("{spec: {replicas: 2}}", "{enabled: false}"))  # fmt: skip
    done = loco("explain", "--stack", "dev", "good")
    assert (done.status, done.out) == (1, "")
    assert "an override switches" in done.err


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("template.containers[main].imgae", IMAGE),
        ("tempalte.containers[mian].image", IMAGE),
        ("spec.replicass", "spec.replicas"),
        ("template.containers[main].xyzzy.deep", "spec.template.containers[main]"),
        ("replicas.more", "spec.replicas"),
        ("template.containers[7]", "spec.template.containers"),
        ("xyzzy", "spec"),
    ],
)
def test_an_unknown_path(loco: Run, path: str, near: str) -> None:
    done = loco("explain", "good.yaml", "good", path, *NS)
    assert (done.status, done.out) == (1, "")
    assert f"the nearest path that is set is {near}\n" in done.err


def test_an_unknown_service(loco: Run, two: str) -> None:
    done = loco("explain", "good.yaml", two, "god", *NS)
    assert (done.status, done.out) == (1, "")
    assert "no document is called god" in done.err
    assert "write good; known are gpt, good, " in done.err
    assert "LLMInferenceService/one/chat, LLMInferenceService/two/chat" in done.err


def test_a_service_with_errors_is_refused(loco: Run, folder: Path) -> None:
    done = loco("explain", "broken.yaml", "broken", *NS)
    assert (done.status, done.out) == (1, "")
    assert "error[LOCO-UNKNOWN-KEY]" in done.err
    (folder / "twice.yaml").write_text(
        SERVICE.replace("NAME", "twice").replace("name: main,", "name: main, ports: [{}],")
    )
    done = loco("explain", "twice.yaml", "twice", *NS)
    assert (done.status, done.out) == (1, "")
    assert "error[" in done.err


def test_findings_of_others_stand_beside(loco: Run) -> None:
    done = loco("explain", "good.yaml", "warned.yaml", "broken.yaml", "good", "replicas", *NS)
    assert done.status == 0
    assert "good.yaml:6" in done.out
    assert "error[LOCO-TYPE]" in done.err
    assert "warning[LOCO-REMOVED]" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("good.yaml", "warned.yaml"), "there are several documents; name one as SERVICE: good, warned"),
        (("two.yaml", "chat"), "LLMInferenceService/one/chat, LLMInferenceService/two/chat"),
        (("good.yaml", "good", "replicas", "more"), "what is more?"),
        (("good.yaml", "--stack", "dev"), "not both"),
        (("-", "good"), "/dev/stdin"),
    ],
)
def test_wrong_usage(loco: Run, two: str, arguments: tuple[str, ...], words: str) -> None:
    done = loco("explain", *arguments, *NS)
    assert (done.status, done.out) == (2, "")
    assert words in done.err or "go with FILE" in done.err


def test_help(loco: Run) -> None:
    done = loco("explain", "--help")
    assert (done.status, done.err) == (0, "")
    assert "FILE… [SERVICE [PATH]]" in done.out
