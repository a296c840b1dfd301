"""Findings as people and programs read them, and the order of manifests."""

import json

import pytest

from loco.model import Edge, Finding, Manifest, ManifestId, Origin, Refused, errors_of
from loco.model.order import ordered
from loco.model.origin import DERIVED

ERROR = Finding(
    "LOCO-TYPE", "error", "spec.x", "wrong", "right", Origin("service", "m.yaml", 3), "Kind/ns/name", ["a", None]
)
WARNING = Finding("LOCO-REMOVED", "warning", "", "gone", "nothing")


def test_text_has_code_path_place_value_and_cure() -> None:
    assert str(ERROR).splitlines() == [
        "error[LOCO-TYPE]: wrong",
        "  at spec.x in Kind/ns/name, m.yaml:3 (service)",
        '  found ["a", null]',
        "  write right",
    ]
    assert str(WARNING).splitlines() == ["warning[LOCO-REMOVED]: gone", "  write nothing"]


def test_long_values_are_shortened_and_odd_signs_shown() -> None:
    text = str(Finding("C", "error", "p", "bad \x1b[31m name", "c", value="x" * 1000))
    assert "\x1b" not in text
    assert "\\x1b[31m" in text
    assert max(len(line) for line in text.splitlines()) < 140
    assert text.count("…") == 1


def test_dict_is_json() -> None:
    assert json.loads(json.dumps(ERROR.as_dict())) == {
        "code": "LOCO-TYPE",
        "severity": "error",
        "path": "spec.x",
        "origin": {"layer": "service", "file": "m.yaml", "line": 3},
        "message": "wrong",
        "cure": "right",
        "object": "Kind/ns/name",
        "value": ["a", None],
    }
    assert WARNING.as_dict()["origin"] is None


def test_refusal_carries_all() -> None:
    refusal = Refused([WARNING, ERROR])
    assert refusal.findings == (WARNING, ERROR)
    assert "gone" in str(refusal)
    assert "wrong" in str(refusal)
    assert errors_of(refusal.findings) == (ERROR,)


def test_origins() -> None:
    assert str(Origin("service", "m.yaml", 3)) == "m.yaml:3 (service)"
    assert str(Origin("service", "m.yaml")) == "m.yaml (service)"
    assert str(Origin("loco")) == "loco"


def manifest(name: str, namespace: str = "ns") -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return Manifest({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}, None, DERIVED)


def test_ids() -> None:
    assert manifest("a").id == ManifestId("v1", "Secret", "ns", "a")
    assert str(manifest("a").id) == "Secret/ns/a"
    assert str(manifest("a", "").id) == "Secret/a"


def edge(before: Manifest, after: Manifest) -> Edge:
    return Edge(before.id, after.id, "so")


def test_order_respects_edges_and_otherwise_stays() -> None:
    a, b, c, d = (manifest(name) for name in "abcd")
    assert ordered([a, b, c, d], []) == [a, b, c, d]
    assert ordered([a, b, c, d], [edge(d, a), edge(c, b)]) == [c, b, d, a]
    assert ordered([a, b], [edge(a, b), edge(a, b)]) == [a, b]
    assert ordered([], []) == []


def test_a_circle_names_its_members() -> None:
    a, b, c = (manifest(name) for name in "abc")
    with pytest.raises(ValueError, match="Secret/ns/b, Secret/ns/c"):
        ordered([a, b, c], [edge(b, c), edge(c, b)])
