"""The stack config: every fault at its line, and one fault hides no other."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from loco.model import Finding, Origin
from loco.spec import read_stack
from loco.spec.tree import plain
from tests.spec.spec_stacks import SERVICE, names, service, stack

# Config (its first line is line 2), then line, code, path, and a part of message and cure together.
CONFIGS = {
    "unknown key": ("profil: safe", 2, "UNKNOWN-KEY", "profil", "profile"),
    "unknown key below": ("cluster:\n  contxt: x", 3, "UNKNOWN-KEY", "cluster.contxt", "context"),
    "misplaced key": ("tls: true", 2, "UNKNOWN-KEY", "tls", "it as platform.tls"),
    "directive": ("cluster: {$patch: replace}", 2, "UNKNOWN-KEY", "cluster.$patch", "no field $patch"),
    "files as text": ("files: x", 2, "TYPE", "files", "a list, and is text"),
    "file as number": ("files:\n- models/*.yaml\n- 3", 4, "TYPE", "files[1]", '"3" in quotes'),
    "profile": ("profile: fast", 2, "VALUE", "profile", "should be one of safe, kserve"),
    "namespace": ("namespace: A_b", 2, "VALUE", "namespace", "small letters"),
    "namespace as number": ("namespace: 0755", 2, "TYPE", "namespace", '"0755" in quotes'),
    "below zero": ("platform: {spareGpus: -1}", 2, "VALUE", "platform.spareGpus", "at least 0; 0 or more"),
    "text for boolean": ("platform:\n  tls: 'true'", 3, "TYPE", "platform.tls", "true or false, and is text"),
    "rotation": ("rotation:\n  certificates: [1]", 3, "TYPE", "rotation.certificates", "text"),
    "rotation of what isn't known": ("rotation: {certs: '1'}", 2, "UNKNOWN-KEY", "rotation.certs", "certificates"),
    "pool's version": ("platform:\n  inferencePoolAPI: v2", 3, "VALUE", "platform.inferencePoolAPI", "v1alpha2"),
    "defaults as list": ("defaults: []", 2, "TYPE", "defaults", "a mapping, and is a list"),
    "defaults of a number": (
        "defaults: {LLMInferenceService: 3}",
        2,
        "TYPE",
        "defaults.LLMInferenceService",
        "number 3",
    ),
    "defaults of another kind": ("defaults: {Pod: {}}", 2, "KIND", "defaults.Pod", "LLMInferenceService"),
    "defaults' spec": (
        "defaults:\n  LLMInferenceService:\n    spec:\n      template: []",
        5,
        "TYPE",
        "defaults.LLMInferenceService.spec.template",
        "is a list",
    ),
    "defaults' labels": (
        "defaults: {LLMInferenceService: {metadata: {labels: 3}}}",
        2,
        "TYPE",
        "defaults.LLMInferenceService.metadata.labels",
        "the number 3",
    ),
    "defaults' name": (
        "defaults: {LLMInferenceService: {metadata: {name: a}}}",
        2,
        "UNKNOWN-KEY",
        "defaults.LLMInferenceService.metadata.name",
        "annotations, labels",
    ),
    "defaults switched off": (
        "defaults: {LLMInferenceService: {enabled: false}}",
        2,
        "UNKNOWN-KEY",
        "defaults.LLMInferenceService.enabled",
        "metadata, spec",
    ),
    "overrides as list": ("overrides: []", 2, "TYPE", "overrides", "a mapping, and is a list"),
    "override of nothing": (
        "overrides: {LLMInferenceService/chat: ~}",
        2,
        "TYPE",
        "overrides.LLMInferenceService/chat",
        "",
    ),
    "override of nobody": (
        "overrides:\n  LLMInferenceService/chta: {}",
        3,
        "REFERENCE",
        "overrides.LLMInferenceService/chta",
        "LLMInferenceService/chat",
    ),
    "override elsewhere": (
        "overrides: {LLMInferenceService/web/chat: {}}",
        2,
        "REFERENCE",
        "overrides.LLMInferenceService/web/chat",
        "LLMInferenceService/llm/chat",
    ),
    "override without a kind": ("overrides: {chat: {}}", 2, "KIND", "overrides.chat", "KIND/NAME"),
    "override's kind in small letters": (
        "overrides: {llminferenceservice/chat: {}}",
        2,
        "KIND",
        "overrides.llminferenceservice/chat",
        "LLMInferenceService/chat; KIND/NAME",
    ),
    "override's kind misspelt, with a namespace": (
        "overrides: {LLMInferenceServce/llm/chat: {}}",
        2,
        "KIND",
        "overrides.LLMInferenceServce/llm/chat",
        "LLMInferenceService/llm/chat; KIND/NAME",
    ),
    "override's kind alone": (
        "overrides: {LiteLLMGatway: {}}",
        2,
        "KIND",
        "overrides.LiteLLMGatway",
        "LiteLLMGateway/NAME;",
    ),
    "override of a name alone": (
        "overrides: {chat: {}}",
        2,
        "KIND",
        "overrides.chat",
        "LLMInferenceService/chat; KIND",
    ),
    "default's kind misspelt": (
        "defaults: {litellmgateway: {}}",
        2,
        "KIND",
        "defaults.litellmgateway",
        "LiteLLMGateway; one of",
    ),
    "more than 32 bits": ("platform: {spareGpus: 3000000000}", 2, "VALUE", "platform.spareGpus", "at most 2147483647"),
    "override's switch": (
        "overrides:\n  LLMInferenceService/chat:\n    enabled: no thanks",
        4,
        "TYPE",
        "overrides.LLMInferenceService/chat.enabled",
        "true or false",
    ),
    "override's empty switch": (
        "overrides: {LLMInferenceService/chat: {enabled: }}",
        2,
        "TYPE",
        "overrides.LLMInferenceService/chat.enabled",
        "is empty",
    ),
    "override's spec": (
        "overrides:\n  LLMInferenceService/chat:\n    spec: {replicsa: 1}",
        4,
        "UNKNOWN-KEY",
        "overrides.LLMInferenceService/chat.spec.replicsa",
        "replicas",
    ),
    "override's fields beside the spec": (
        "overrides: {LLMInferenceService/chat: {replicas: 1}}",
        2,
        "UNKNOWN-KEY",
        "overrides.LLMInferenceService/chat.replicas",
        "enabled, metadata, spec",
    ),
    "no such file": ("files: [models/*.yaml, nothing/*.yaml]", 2, "FILE", "files[1]", "no file matches nothing/*.yaml"),
    "folder": ("files: [models/*.yaml, models]", 2, "FILE", "files[1]", "models/*.yaml"),
    "NUL": ('files: [models/*.yaml, "a\\0b"]', 2, "FILE", "files[1]", "no file matches"),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_config(root: Path, case: str) -> None:
    config, line, code, path, words = CONFIGS[case]
    read = stack(root, config)
    [finding] = read.findings
    assert (finding.code, finding.severity, finding.path) == (f"LOCO-{code}", "error", path)
    assert finding.origin == Origin("config", "Pulumi.dev.yaml", line)
    assert words in f"{finding.message}; {finding.cure}"


def test_values_of_the_command_line_have_no_line(root: Path) -> None:
    [finding] = read_stack(root, {"namespace": "llm", "profile": 3}).findings
    assert finding.origin == Origin("config")


def test_nulls_are_absent(root: Path) -> None:
    read = stack(root, "files:\nprofile:\ncluster:\nplatform: {tls: , gateway: }\ndefaults:\noverrides:\n")
    assert read.findings == ()
    assert names(read) == ["chat"]
    assert read.config.profile == "safe"


def test_one_fault_hides_no_other(root: Path) -> None:
    (root / "models/chat.yaml").write_text(SERVICE.replace("NAME", "Chat"))
    (root / "models/more.yaml").write_text("a: [\n")
    read = stack(root, "profil: x\ncluster: {context: c, identifer: x}\nplatform: {spareGpus: x, tls: true}\n")
    assert {finding.path for finding in read.findings} == {
        "profil",
        "cluster.identifer",
        "platform.spareGpus",
        "metadata.name",
        "",
    }
    assert read.config.cluster.context == "c", "what is well is kept"
    assert read.config.platform.tls
    assert not read.complete


def test_an_override_of_a_file_that_cannot_be_read_is_no_second_fault(root: Path) -> None:
    (root / "models/chat.yaml").write_text("a: [\n")
    [finding] = stack(root, "overrides: {LLMInferenceService/chat: {}}").findings
    assert finding.code == "LOCO-YAML"


def test_enabled(root: Path) -> None:
    read = stack(root, "overrides: {LLMInferenceService/chat: {enabled: false}}")
    assert read.findings == ()
    assert not read.overrides[0].enabled
    assert stack(root, "overrides: {LLMInferenceService/chat: {enabled: true}}").overrides[0].enabled


def test_layers_know_their_name_and_line(root: Path) -> None:
    config = "defaults:\n  LLMInferenceService:\n    spec: {replicas: 2}\noverrides:\n  LLMInferenceService/chat: {}\n"
    read = stack(root, config)
    assert plain(read.defaults["LLMInferenceService"]) == {"spec": {"replicas": 2}}
    assert read.defaults["LLMInferenceService"].origin == Origin("defaults", "Pulumi.dev.yaml", 3)
    assert read.overrides[0].tree.origin == Origin("overrides", "Pulumi.dev.yaml", 6)


@pytest.mark.parametrize("value", [object(), float("nan"), float("inf"), {1: 2}, "\ud800", {"\ud800": 1}, {1, 2}])
def test_what_a_program_gives_must_be_plain(root: Path, value: object) -> None:
    [finding] = stack(root, documents=[service("a", labels={"x": value})]).findings
    assert finding.code == "LOCO-TYPE"
    assert "spec.labels" in finding.message
    [finding] = read_stack(root, {"namespace": "llm", "cluster": {"context": value}}).findings
    assert (finding.code, finding.path) == ("LOCO-TYPE", "cluster")


def test_programs_give_documents_too(root: Path) -> None:
    both = stack(root, "files: [models/*.yaml]", documents=[service("other"), service("chat")])
    assert names(both) == ["chat", "other"]
    [finding] = both.findings
    assert finding.code == "LOCO-DUPLICATE"


def test_a_program_with_documents_reads_no_file_that_it_has_not_named(root: Path) -> None:
    read = stack(root, documents=[service("other")])
    assert names(read) == ["other"]
    assert read.findings == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["LLMInferenceService", "LLMInferenceService/a", "spec", "tls", "context", "enabled", "$patch"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
KEYS = ["files", "namespace", "profile", "cluster", "platform", "defaults", "overrides", "credentials", "x"]


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4), st.lists(JSON, max_size=2))
def test_no_config_raises(config: dict[str, Any], documents: list[Any]) -> None:
    read = read_stack(Path("/nowhere"), config, documents=documents)
    assert all(isinstance(finding, Finding) and finding.cure for finding in read.findings)


def test_links_in_circles_are_walked_once(root: Path) -> None:
    for name in ("a", "b"):
        (root / name).mkdir()
        for link in ("x", "y"):
            (root / name / link).symlink_to("..")
    (root / "a" / ".hidden").mkdir()
    for folder in ("a", "a/.hidden"):
        (root / folder / "more.yaml").write_text(yaml.safe_dump(service("more" if folder == "a" else "hidden")))
    assert names(stack(root, "files: ['**/*.yaml']")) == ["chat", "more"]
    assert names(stack(root, "files: ['a/**']")) == ["chat", "more"]  # by way of a link
    assert names(stack(root, "files: ['**/a/**/*.yaml']")) == ["chat", "more"]


@pytest.mark.parametrize("key", ["spec", "metadata"])
@pytest.mark.parametrize("target", ["overrides: {LLMInferenceService/chat", "defaults: {LLMInferenceService"])
def test_a_layer_that_removes_everything_is_refused(root: Path, target: str, key: str) -> None:
    (finding,) = stack(root, f"{target}: {{{key}: null}}}}").findings
    assert (finding.code, finding.message) == ("LOCO-TYPE", "this should be a mapping, and is empty")
    assert finding.path.endswith(f".{key}")


def test_what_a_program_gives_has_an_end(root: Path) -> None:
    circle: dict[str, Any] = {}
    circle["a"] = circle
    (finding,) = stack(root, "files: []", documents=[service("a", template=circle)]).findings
    assert (finding.code, "nested too deeply" in finding.message) == ("LOCO-TYPE", True)
    (finding,) = stack(root, "files: []", documents=[service("a", replicas=2**63)]).findings
    assert (finding.code, "more than 64 bits" in finding.message) == ("LOCO-TYPE", True)
