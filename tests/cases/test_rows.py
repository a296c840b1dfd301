"""What users reported of objects that such systems emit: each row has a test that bears its id, and none is forgotten."""

import importlib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases.rows import PLATFORM, ROWS, TOLD
from tests.layers.test_case_rows import stands
from tests.plan.stacks import one, plan_of, service

HERE = Path(__file__).parent
CASES = [entry for file in sorted(HERE.glob("*.yaml")) for entry in yaml.safe_load(file.read_text())]
SAYS = {"objects", "absent", "says", "quiet", "outputs"}


def ids(case: dict[str, Any]) -> list[str]:
    return str(case["id"]).split(", ")


def test_every_row_has_a_test() -> None:
    for file in sorted(HERE.glob("test_*.py")):
        importlib.import_module(f"tests.cases.{file.stem}")
    told = {row for case in CASES for row in ids(case)} | TOLD.keys()
    assert [row for row in ROWS if row not in told] == []
    assert [row for row in told if row not in ROWS] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}: {case['idea']}")
def test_row(case: dict[str, Any]) -> None:
    assert case.keys() <= {"id", "idea", "service", "metadata", "platform", "profile", *SAYS}
    assert case.keys() & SAYS, "a case that says nothing can't fail"
    platform = case.get("platform", PLATFORM)
    document = service(case["service"], **case.get("metadata", {}))
    plan = plan_of(document, platform=platform, profile=case.get("profile", "safe"))
    said = [(finding.code, finding.path, f"{finding.message}; {finding.cure}") for finding in plan.findings]
    wanted = case.get("says", [])
    assert [str(error) for error in plan.errors if error.code not in [code for code, *_ in wanted]] == []
    for code, path, *words in wanted:
        assert [text for at, where, text in said if (at, where) == (code, path)], said
        assert any(all(word in text for word in words) for at, where, text in said if (at, where) == (code, path)), said
    assert not {code for code, _, _ in said} & set(case.get("quiet", []))
    for name, paths in case.get("objects", {}).items():
        kind, _, called = name.partition("/")
        data = one(plan, kind, called or None).data
        assert {path: stands(data, path) for path in paths} == paths
    for name in case.get("absent", []):
        kind, _, called = name.partition("/")
        assert not [m.id for m in plan.manifests if m.id.kind == kind and called in ("", m.name)]
    outputs = plan.outputs["models"].get("llm/chat", {})
    assert {path: stands(outputs, path) for path in case.get("outputs", {})} == case.get("outputs", {})
