"""What is written as YAML and read again is what it was: the same values of the same types, and nothing new to say."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings

from loco.cli.yaml_writer import write_yaml
from loco.model import Origin, errors_of
from loco.spec.document import SPEC_OF, read_document
from loco.spec.tree import Node, plain, plant
from loco.spec.yaml_reader import read_yaml
from tests.conftest import REPOSITORY
from tests.spec.documents import FREE, ODD, TEXT, documents, of_model


def said(tree: Node) -> list[tuple[str, str, str]]:
    return [(finding.code, finding.path, finding.message) for finding in read_document(tree, "llm")[1]]


def exact(value: Any) -> str:
    """As JSON, which tells 1 from 1.0 and from true, and keeps the keys' order."""
    return json.dumps(value)


def reread(data: list[Any]) -> list[Node]:
    trees, findings = read_yaml(write_yaml(data), "written.yaml", "service")
    assert findings == []
    assert exact([plain(tree) for tree in trees]) == exact(data)
    return trees


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(documents())
def test_documents(data: dict[str, Any]) -> None:
    findings = read_document(plant(data, Origin("service")), "llm")[1]
    assume(not errors_of(findings))
    [tree] = reread([data])
    assert said(tree) == [(finding.code, finding.path, finding.message) for finding in findings]


@pytest.mark.parametrize("kind", sorted(SPEC_OF))
def test_every_field_of_a_kind_is_tried(kind: str) -> None:
    """Else the property above would hold of less than it seems to."""
    model = SPEC_OF[kind]  # type: ignore[index]
    seen: set[str] = set()

    @settings(max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(of_model(model))
    def collect(spec: dict[str, Any]) -> None:
        seen.update(spec)

    collect()
    assert seen == {field.alias or name for name, field in model.model_fields.items()}


@pytest.mark.parametrize("text", ODD, ids=repr)
def test_odd_text(text: str) -> None:
    data = {"value": text, text: "key", "list": [text, [text], {text: text}], "end": 1}
    reread([data])
    assert exact(yaml.safe_load(write_yaml([data]))) == exact(data), "for PyYAML too"


@pytest.mark.parametrize(
    "text", ["y", "N", "yes", "null", "~", "1e3", "0755", "0o755", "08", "+1", ".5", "1_000", "2001-01-01"]
)
def test_text_that_some_reader_takes_for_something_else_stands_in_quotes(text: str) -> None:
    assert re.fullmatch(r"""a: (["'])(.*)\1\n""", write_yaml([{"a": text}]))


@settings(deadline=None)
@given(TEXT, FREE)
def test_any_text_and_any_data(text: str, data: Any) -> None:
    reread([{"text": text, "data": data, "more": [data, text]}])


@pytest.mark.parametrize("file", sorted((REPOSITORY / "models").glob("*.yaml")), ids=lambda file: file.stem)
def test_own_models(file: Path) -> None:
    _file_survives(file)


def test_recorded_inputs(shared: Path) -> None:
    files = sorted((shared / "goldens").glob("*/input.yaml"))
    assert files
    for file in files:
        _file_survives(file)


def _file_survives(file: Path) -> None:
    trees, findings = read_yaml(file.read_text(encoding="utf-8"), file.name, "service")
    assert findings == []
    again = reread([plain(tree) for tree in trees])
    assert [said(tree) for tree in again] == [said(tree) for tree in trees]
