"""One document: what is refused, at which line, and what to write instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loco.model import Finding, Origin
from loco.spec.document import Document, read_document
from loco.spec.tree import plant
from loco.spec.yaml_reader import read_yaml

HEAD = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\n"


def document(text: str, namespace: str | None = "llm") -> tuple[Document | None, list[Finding]]:
    [tree], findings = read_yaml(text, "m.yaml", "service")
    assert findings == []
    return read_document(tree, namespace)


SPEC = "spec: {model: {uri: hf://a/b}}\n"
KSERVE = "apiVersion: serving.kserve.io/v1alpha2\n"
# Document, then line, code and path of its only finding, and a part of message and cure together.
WHOLE = {
    "no mapping": ("- a\n", 1, "TYPE", "", "apiVersion, kind, metadata and spec"),
    "no kind": ("a: 1\n", 1, "KIND", "kind", "one of LLMInferenceService"),
    "kind of another type": ("kind: [a]\n", 1, "TYPE", "kind", "should be text"),
    "near kind": (f"{KSERVE}kind: LLMInferenceServce\n", 2, "KIND", "kind", "LLMInferenceService"),
    "other kind": ("apiVersion: v1\nkind: Pod\n", 2, "KIND", "kind", "another project"),
    "old version": (
        "apiVersion: serving.kserve.io/v1alpha0\nkind: LLMInferenceService\n",
        1,
        "KIND",
        "apiVersion",
        "apiVersion: serving.kserve.io/v1alpha2",
    ),
    "no version": ("kind: LLMInferenceService\n", 1, "KIND", "apiVersion", "v1alpha2"),
    "no metadata": (f"{KSERVE}kind: LLMInferenceService\n{SPEC}", 1, "VALUE", "metadata.name", "has no name"),
    "metadata as text": (f"{KSERVE}kind: LLMInferenceService\nmetadata: x\n{SPEC}", 3, "TYPE", "metadata", "a mapping"),
    "name of another type": (
        f"{KSERVE}kind: LLMInferenceService\nmetadata: {{name: 3}}\n{SPEC}",
        3,
        "TYPE",
        "metadata.name",
        '"3" in quotes',
    ),
    "no spec": (HEAD, 1, "VALUE", "spec", "model"),
    "empty spec": (f"{HEAD}spec:\n", 4, "TYPE", "spec", "is empty"),
    "spec as list": (f"{HEAD}spec: []\n", 4, "TYPE", "spec", "is a list"),
    "status of an exported object": (f"{HEAD}{SPEC}status: {{}}\n", 5, "UNKNOWN-KEY", "status", "written by a cluster"),
    "pod beside the spec": (f"{HEAD}{SPEC}template: {{}}\n", 5, "UNKNOWN-KEY", "template", "it as spec.template"),
    "directive beside the spec": (f"{HEAD}{SPEC}$patch: replace\n", 5, "UNKNOWN-KEY", "$patch", "no field $patch"),
}


@pytest.mark.parametrize("case", WHOLE)
def test_document(case: str) -> None:
    text, line, code, path, words = WHOLE[case]
    read, [finding] = document(text)
    assert read is None
    assert (finding.code, finding.path) == (f"LOCO-{code}", path)
    assert finding.origin == Origin("service", "m.yaml", line)
    assert words in f"{finding.message}; {finding.cure}"


def test_what_a_cluster_wrote_into_metadata() -> None:
    text = HEAD.replace("{name: chat}", "{name: chat, uid: x, creationTimestamp: 2026-01-01T00:00:00Z}") + SPEC
    _, findings = document(text)
    assert {finding.path for finding in findings} == {"metadata.uid", "metadata.creationTimestamp"}
    assert all("written by a cluster" in finding.message for finding in findings)


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("Chat", "chat"),
        ("my_model", "my-model"),
        ("qwen2.5", "qwen2-5"),
        ("7b", "m-7b"),
        ("-a-", "a"),
        ("a" * 64, "a" * 63),
        ("模型", "a name such as chat"),
        ("a\n", "a"),
        ("a/b", "a-b"),
    ],
)
def test_odd_names(name: str, cure: str) -> None:
    tree = plant(
        {
            "apiVersion": "serving.kserve.io/v1alpha2",
            "kind": "LLMInferenceService",
            "metadata": {"name": name},
            "spec": {},
        },
        Origin("service"),
    )
    read, [finding] = read_document(tree, "llm")
    assert read is None
    assert (finding.path, finding.value, finding.cure) == ("metadata.name", name, cure)


@pytest.mark.parametrize("name", ["''", "~", ""])
def test_an_empty_name_is_none(name: str) -> None:
    read, [finding] = document(HEAD.replace("{name: chat}", f"{{name: {name}}}") + SPEC)
    assert read is None
    assert (finding.path, finding.message) == ("metadata.name", "the document has no name")


def test_names_of_63_letters() -> None:
    read, findings = document(HEAD.replace("chat", "a" * 63) + SPEC)
    assert findings == []
    assert read is not None
    assert read.name == "a" * 63


def test_namespaces() -> None:
    read, [finding] = document(HEAD + SPEC, namespace=None)
    assert read is None
    assert (finding.code, finding.path) == ("LOCO-CONFIG", "metadata.namespace")
    read, [finding] = document(HEAD.replace("chat", "chat, namespace: A_b") + SPEC)
    assert read is None
    assert (finding.code, finding.value) == ("LOCO-VALUE", "A_b")
    read, _ = document(HEAD.replace("chat", "chat, namespace: own") + SPEC)
    assert read is not None
    assert read.subject == "LLMInferenceService/own/chat"


def test_base_configs_do_not_refer_to_others() -> None:
    text = HEAD.replace("Service\n", "ServiceConfig\n") + "spec:\n  baseRefs: [{name: a}]\n"
    _, [finding] = document(text)
    assert finding.path == "spec.baseRefs"
    assert finding.origin == Origin("service", "m.yaml", 5)


def test_all_findings_at_once() -> None:
    text = HEAD.replace("chat", "Chat") + "spec:\n  replicas: x\n  modle: {}\n  template: {containers: [{imge: a}]}\n"
    _, findings = document(text + "extra: 1\n", namespace=None)
    assert {finding.path for finding in findings} == {
        "metadata.name",
        "metadata.namespace",
        "extra",
        "spec.replicas",
        "spec.modle",
        "spec.template.containers[0].imge",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "containers", "env", "template", "model", "uri", "$patch", "labels", "router", ""]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON, st.sampled_from(["spec", "metadata", "kind", "apiVersion", "status"]))
def test_no_json_raises(spec: object, other: object, key: str) -> None:
    written = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "a"},
        "spec": spec,
        key: other,
    }
    try:
        tree = plant(written, Origin("service"))
    except TypeError:  # half a character
        return
    read, findings = read_document(tree, "llm")
    assert (read is None) == any(finding.severity == "error" for finding in findings)
    assert all(finding.cure and finding.message and finding.origin for finding in findings)
