"""Rules of a merged service: one table, and what a table doesn't show."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from loco.layers import merge
from loco.layers.resolve import spec_of
from loco.model import Finding, Origin
from loco.spec import LLMInferenceServiceSpec
from loco.spec.document import read_document
from loco.spec.rules import Judged, broken_rules
from loco.spec.tree import Branch, Node, plain, plant, relayered

TABLE: dict[str, list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text())
DRA = "serving.kserve.io/exp-dra-"
MODEL = {"uri": "hf://o/m", "name": "m"}


def document(spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    about = {"name": "chat", **metadata}
    spec = {"model": MODEL, **spec}
    return {"apiVersion": "serving.kserve.io/v1alpha2", "kind": "LLMInferenceService", "metadata": about, "spec": spec}


def judged(*layers: Node) -> Judged:
    """Documents, low to high, merged."""
    merged, _ = merge.merge_trees(spec_of(layer) for layer in layers if isinstance(layer, Branch))
    top = layers[-1]
    assert isinstance(top, Branch)
    tree = Branch({"spec": merged, "metadata": top.items["metadata"]}, top.origin)
    typed = LLMInferenceServiceSpec.model_validate(plain(merged))
    return Judged("chat", "LLMInferenceService/llm/chat", top.origin, typed, tree)


def found(written: dict[str, Any]) -> list[Finding]:
    """What reading finds in a document, and if that is nothing, what the rules find."""
    tree = plant(written, Origin("service", "m.yaml", 1))
    read, findings = read_document(tree, "llm")
    return findings if read is None else findings + broken_rules(judged(tree))


def told(findings: list[Finding]) -> dict[str, str]:
    assert len({finding.path for finding in findings}) == len(findings), "one finding for one place"
    assert all(f.cure and f.message and f.origin and f.subject for f in findings)
    return {f.path: ("-" if f.severity == "warning" else "") + f.code for f in findings}


@pytest.mark.parametrize("case", TABLE["workloads"], ids=lambda case: str(case["case"]))
@pytest.mark.parametrize("side", ["main", "prefill"])
def test_rules_of_workloads(case: dict[str, Any], side: str) -> None:
    spec = case["spec"] if side == "main" else {"prefill": case["spec"]}
    stem = "spec" if side == "main" else "spec.prefill"
    assert told(found(document(spec))) == {f"{stem}.{path}": code for path, code in case["finds"].items()}


@pytest.mark.parametrize("case", TABLE["services"], ids=lambda case: str(case["case"]))
def test_rules_of_services(case: dict[str, Any]) -> None:
    metadata = {}
    wanted = case["finds"]
    if "annotations" in case:
        metadata["annotations"] = {DRA + key: value for key, value in case["annotations"].items()}
        wanted = {f'metadata.annotations["{DRA}{key}"]': code for key, code in wanted.items()}
    assert told(found(document(case.get("spec", {}), **metadata))) == wanted


def test_every_case_has_a_name_of_its_own() -> None:
    for cases in TABLE.values():
        named = [case["case"] for case in cases]
        assert len(set(named)) == len(named)


@pytest.mark.parametrize(
    ("rules", "matches", "paths"),
    [
        (16, 1, []),
        (17, 1, ["spec.router.route.http.spec.rules"]),
        (2, 64, []),
        (1, 65, ["spec.router.route.http.spec.rules[0].matches"]),
        (3, 43, ["spec.router.route.http.spec.rules"]),
    ],
)
def test_bounds_of_a_route(rules: int, matches: int, paths: list[str]) -> None:
    rule = {"matches": [{"path": {"value": f"/{number}"}} for number in range(matches)]}
    route = {"http": {"spec": {"rules": [rule] * rules}}}
    assert [finding.path for finding in found(document({"router": {"route": route}}))] == paths


def test_the_sums_of_ranks_are_told() -> None:
    (finding,) = found(document({"worker": {}, "parallelism": {"data": 9, "dataLocal": 4}}))
    assert "9 ranks don't fill pods of 4: 2 pods of 4 ranks hold 8, 3 hold 12" in finding.message
    assert "8 or 12" in finding.cure
    assert finding.value == 9


def test_a_preset_is_never_blamed_nor_judged() -> None:
    """Its parentRefs and rules are replaced or split by loco itself; what it lacks the service is told of."""
    preset = plant(
        document(
            {
                "router": {
                    "route": {"http": {"spec": {"parentRefs": [{"name": "p"}], "rules": [{"matches": [{}] * 65}]}}}
                },
                "template": {"containers": [{"name": "main"}]},
                "kvCacheOffloading": {"evictionPolicy": "lru"},
            }
        ),
        Origin("preset:a", "preset.yaml", 1),
    )
    service = plant(document({"router": {"gateway": {"refs": [{"name": "g"}]}}}), Origin("service", "m.yaml", 7))
    (finding,) = broken_rules(judged(preset, service))
    assert finding.path == "spec.kvCacheOffloading.cpu"
    assert finding.origin == Origin("service", "m.yaml", 7)


def test_layers_are_judged_together() -> None:
    """What a service lacks a base config may give, and the other way round; nobody is told of the halves."""
    base = relayered(plant(document({"parallelism": {"data": 4, "dataLocal": 2}}), Origin("service")), "baseRef:b")
    service = plant(
        document({"worker": {}, "kvCacheOffloading": {"cpu": "1Gi"}, "scaling": {"keda": {}}}), Origin("service")
    )
    over = plant(
        document({"scaling": {"maxReplicas": 2, "keda": {"triggers": [{"type": "cpu", "metadata": {"value": "1"}}]}}}),
        Origin("overrides"),
    )
    assert broken_rules(judged(base, service, over)) == []
    assert {f.path for f in broken_rules(judged(service))} == {
        "spec.worker",
        "spec.scaling.maxReplicas",
        "spec.scaling.keda.triggers",
    }


KEYS = [
    "matches",
    "path",
    "filters",
    "urlRewrite",
    "parentRefs",
    "name",
    "rules",
    "type",
    "spec",
    "resources",
    "requests",
]
JSON = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "a", "ReplacePrefixMatch"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=3), JSON, JSON)
@settings(max_examples=200, deadline=None)
def test_no_shape_that_another_project_defines_raises(route: dict[str, Any], claim: object, pool: object) -> None:
    spec = {
        "router": {
            "gateway": {"refs": [{"name": "g"}]},
            "route": {"http": {"spec": {"rules": [{**route}], **route}}},
            "scheduler": {"pool": {"spec": pool}},
        },
        "kvCacheOffloading": {"cpu": "1Gi", "secondary": [{"fileSystem": {"pvc": {"spec": claim}}}]},
    }
    assert all(finding.cure and finding.origin for finding in found(document(spec)))
