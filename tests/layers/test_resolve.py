"""Layers in their order, and the origin of every leaf."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.layers import Resolved, resolve
from loco.layers.resolve import enabled
from loco.model import Finding, Origin
from loco.spec import read_stack
from loco.spec.stack import StackSpec
from loco.spec.tree import Leaf, Row, at, leaves, plain
from tests.plan.stacks import plan_of, service

SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, labels: {team: a}}
spec:
  baseRefs: [{name: low}, {name: high}]
  model: {uri: hf://a/b}
  template:
    containers:
    - name: main
      env:
      - {name: VLLM_LOGGING_LEVEL, value: DEBUG}
"""
BASES = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: low, labels: {team: base}}
spec: {replicas: 2, labels: {low: x, both: low}}
---
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: high}
spec: {replicas: 3, labels: {both: high}}
"""
CONFIG = """\
config:
  loco:namespace: llm
  loco:defaults:
    LLMInferenceService:
      metadata: {labels: {team: default, cost: x}}
      spec: {replicas: 1, labels: {default: x}}
  loco:overrides:
    LLMInferenceService/chat:
      metadata: {annotations: {a: b}}
      spec: {replicas: 4}
"""


def stack(root: Path, config: str = CONFIG, **files: str) -> StackSpec:
    (root / "models").mkdir(exist_ok=True)
    for name, text in ({"chat": SERVICE, "bases": BASES} | files).items():
        (root / f"models/{name}.yaml").write_text(text)
    file = root / "Pulumi.dev.yaml"
    file.write_text(config)
    values = {key.removeprefix("loco:"): value for key, value in yaml.safe_load(config)["config"].items()}
    return read_stack(root, values, config_file=file)


def resolved(read: StackSpec, name: str = "chat") -> tuple[Resolved | None, list[Finding]]:
    [document] = [document for document in read.documents if document.name == name]
    return resolve(document, read)


def chain(tree: Any, *path: str | int) -> list[str]:
    """The origins of a leaf and of all that it overrode, high to low."""
    node, found = at(tree, path), []
    while node is not None:
        found.append(str(node.origin))
        node = node.overrode if isinstance(node, Leaf | Row) else None
    return found


def test_order_of_layers_and_what_each_leaf_overrode(tmp_path: Path) -> None:
    read = stack(tmp_path)
    service, findings = resolved(read)
    assert findings == []
    assert service is not None
    assert service.spec.replicas == 4
    assert chain(service.tree, "replicas") == [
        "Pulumi.dev.yaml:10 (overrides)",
        "models/bases.yaml:9 (baseRef:high)",
        "models/bases.yaml:4 (baseRef:low)",
        "Pulumi.dev.yaml:6 (defaults)",
    ]
    assert plain(at(service.tree, ("labels",)) or service.tree) == {"default": "x", "low": "x", "both": "high"}
    names = [plain(item)["name"] for item in at(service.tree, ("template", "containers", 0, "env")).items]  # type: ignore[union-attr]
    index = names.index("VLLM_LOGGING_LEVEL")
    value = chain(service.tree, "template", "containers", 0, "env", index, "value")
    assert value[0] == "models/chat.yaml:11 (service)"
    assert value[1].endswith("(preset:config-llm-template)")
    assert len(value) == 2


def test_metadata_is_layered_without_base_configs(tmp_path: Path) -> None:
    service, _ = resolved(stack(tmp_path))
    assert service is not None
    assert service.labels == {"team": "a", "cost": "x"}
    assert service.annotations == {"a": "b"}


@pytest.mark.parametrize("profile", ["safe", "kserve"])
def test_every_leaf_has_a_layer_a_file_and_a_line(tmp_path: Path, profile: str) -> None:
    service, _ = resolved(stack(tmp_path, CONFIG + f"  loco:profile: {profile}\n"))
    assert service is not None
    seen = set()
    for path, leaf in leaves(service.tree):
        assert leaf.origin.file, path
        assert leaf.origin.line, path
        seen.add(leaf.origin.layer)
    layers = {"preset:config-llm-template", "defaults", "baseRef:low", "baseRef:high", "service", "overrides"}
    assert seen - {f"profile:{profile}"} == layers
    assert (f"profile:{profile}" in seen) == (profile == "safe")


def test_applied_configs_in_order(tmp_path: Path) -> None:
    service, _ = resolved(stack(tmp_path))
    assert service is not None
    assert [(config.name, config.source) for config in service.applied] == [
        ("config-llm-template", "Preset"),
        ("low", "UserRef"),
        ("high", "UserRef"),
    ]


def test_a_preset_may_be_referred_to(tmp_path: Path) -> None:
    read = stack(tmp_path, chat=SERVICE.replace("{name: low}", "{name: config-llm-template}"))
    service, findings = resolved(read)
    assert findings == []
    assert service is not None


@pytest.mark.parametrize(
    ("ref", "code", "words"),
    [
        ("{name: hihg}", "LOCO-REFERENCE", "called hihg; searched the namespace llm and the presets: high"),
        (
            "{name: zzz}",
            "LOCO-REFERENCE",
            "called zzz; searched the namespace llm and the presets: high, low; or an LLMInferenceServiceConfig of that name in the namespace llm",
        ),
        ("{}", "LOCO-VALUE", "names nothing"),
        ("{name: ''}", "LOCO-VALUE", "names nothing"),
    ],
)
def test_unknown_base_configs(tmp_path: Path, ref: str, code: str, words: str) -> None:
    service, [finding] = resolved(stack(tmp_path, chat=SERVICE.replace("{name: low}", ref)))
    assert service is None
    assert (finding.code, finding.path) == (code, "spec.baseRefs[0].name")
    assert finding.origin == Origin("service", "models/chat.yaml", 5)
    assert words in f"{finding.message}: {finding.cure}"


def test_base_configs_of_another_namespace_are_not_found(tmp_path: Path) -> None:
    read = stack(tmp_path, bases=BASES.replace("{name: high}", "{name: high, namespace: other}"))
    _, [finding] = resolved(read)
    assert finding.code == "LOCO-REFERENCE"


def test_a_base_config_that_cannot_be_read_is_no_second_fault(tmp_path: Path) -> None:
    read = stack(tmp_path, bases=BASES.replace("replicas: 2", "replicsa: 2"))
    assert [finding.code for finding in read.findings] == ["LOCO-UNKNOWN-KEY"]
    assert resolved(read)[1] == []


def test_what_null_removes_is_named_with_its_owner(tmp_path: Path) -> None:
    chat = SERVICE.replace("      env:", "      readinessProbe: ~\n      ports: []\n      env:")
    service, findings = resolved(stack(tmp_path, chat=chat))
    assert service is not None
    said = {finding.path: finding for finding in findings}
    assert said.keys() == {"spec.template.containers[main].readinessProbe", "spec.template.containers[main].ports"}
    probe = said["spec.template.containers[main].readinessProbe"]
    assert (probe.code, probe.severity) == ("LOCO-REMOVED", "warning")
    assert probe.origin == Origin("service", "models/chat.yaml", 10)
    assert "null removes what presets/config-llm-template.yaml:" in probe.message
    assert probe.cure.startswith("a value in place of null, or take the line out")
    assert said["spec.template.containers[main].ports"].cure.startswith("a value in place of [],")
    assert isinstance(probe.value, dict)


def test_an_override_without_a_spec_changes_nothing(tmp_path: Path) -> None:
    config = CONFIG.replace("spec: {replicas: 4}", "spec: ~").replace(
        "spec: {replicas: 1, labels: {default: x}}", "spec:"
    )
    service, findings = resolved(stack(tmp_path, config))
    assert findings == []
    assert service is not None
    assert service.spec.replicas == 3


def test_switched_off(tmp_path: Path) -> None:
    read = stack(tmp_path, CONFIG.replace("spec: {replicas: 4}", "enabled: false"))
    assert read.findings == ()
    [document] = [document for document in read.documents if document.name == "chat"]
    assert not enabled(document, read)


def test_merged_faults_are_said_at_their_line(tmp_path: Path) -> None:
    chat = SERVICE.replace("name: main", "image: a")
    service, [finding] = resolved(stack(tmp_path, chat=chat))
    assert service is None
    assert finding.path.endswith(".name")
    assert finding.message == "name is missing"
    assert finding.origin is not None
    assert finding.origin.file == "models/chat.yaml"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ({"containers": [{"name": "nobody", "$patch": "delete"}]}, "spec.template.containers[nobody]"),
        ({"containers": [{"$patch": "delete"}]}, "spec.template.containers[]"),
        ({"tolerations": [{"key": "a", "$patch": "delete"}]}, "spec.template.tolerations[0]"),
        ({"containers": [{"name": "main", "$patch": "merge"}]}, None),
    ],
)
def test_a_delete_that_finds_nothing_is_told(part: dict[str, Any], path: str | None) -> None:
    found = plan_of(service({"template": part})).findings
    told = [finding.path for finding in found if finding.code == "LOCO-NO-EFFECT" and "$patch" in finding.message]
    assert told == ([path] if path else [])
    shared = plan_of(service(), defaults={"LLMInferenceService": {"spec": {"template": part}}}).findings
    assert not [finding for finding in shared if "$patch: delete" in finding.message]
