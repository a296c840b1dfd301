"""The files that a stack names: sorted, each read once, each document once."""

from pathlib import Path

from loco.model import Origin
from loco.spec import read_files
from tests.spec.spec_stacks import SERVICE, names, stack


def test_files_are_sorted_and_read_once(root: Path) -> None:
    (root / "models/a.yaml").write_text(SERVICE.replace("NAME", "zoo"))
    (root / "link.yaml").symlink_to(root / "models/a.yaml")
    patterns = [
        "models/chat.yaml",
        "./models/*.yaml",
        "models/../models/a.yaml",
        str(root / "models/a.yaml"),
        "link.yaml",
    ]
    read = stack(root, f"files: {patterns}")
    assert read.findings == ()
    assert names(read) == ["chat", "zoo"]
    assert {document.origin.file for document in read.documents} <= {
        "models/chat.yaml",
        "link.yaml",
        "models/a.yaml",
    } | {str(root / "models/a.yaml")}


def test_duplicates_name_both_places(root: Path) -> None:
    (root / "models/two.yaml").write_text(f"# again\n---\n{SERVICE.replace('NAME', 'chat')}")
    [finding] = stack(root).findings
    assert finding.code == "LOCO-DUPLICATE"
    assert finding.subject == "LLMInferenceService/llm/chat"
    assert finding.origin == Origin("service", "models/two.yaml", 3)
    assert "models/chat.yaml:1" in finding.message


def test_one_name_in_two_namespaces(root: Path) -> None:
    (root / "models/two.yaml").write_text(SERVICE.replace("NAME", "chat, namespace: web"))
    read = stack(root, "overrides: {LLMInferenceService/web/chat: {spec: {replicas: 2}}}")
    assert read.findings == ()
    assert [document.namespace for document in read.documents] == ["llm", "web"]
    assert read.overrides[0].namespace == "web"


def test_not_utf8(root: Path) -> None:
    (root / "models/chat.yaml").write_bytes(b"a: 1\nb: \xff\n")
    [finding] = stack(root).findings
    assert finding.code == "LOCO-YAML"
    assert finding.origin == Origin("service", "models/chat.yaml", 2)


def test_missing_and_odd_files() -> None:
    read = read_files([Path("/nowhere/a.yaml"), Path("/")], "llm", {})
    assert [finding.code for finding in read.findings] == ["LOCO-FILE", "LOCO-FILE"]
    assert "/nowhere/a.yaml can't be read: No such file" in read.findings[0].message
