"""The check against tables of manifests, side by side with the verdict of kubernetes-validate."""

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from kubernetes_validate import utils

from loco.spec.kubernetes import KUBERNETES_VERSION, Problem, definition_of, problems

HERE = Path(__file__).parent
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((HERE / "manifests.yaml").read_text("utf-8")))
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "cases.yaml").read_text("utf-8"))


@pytest.fixture(scope="module", autouse=True)
def schemas_read_once() -> Iterator[None]:
    # The package reads 1.5 MB of definitions for every manifest.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "schema_contents", cache(utils.schema_contents))
        yield


def schema_verdict(manifest: dict[str, Any]) -> str:
    try:
        kubernetes_validate.validate(manifest, KUBERNETES_VERSION, strict=True)
    except kubernetes_validate.ValidationError:
        return "refuses"
    return "accepts"


def check(manifest: dict[str, Any]) -> list[Problem]:
    name = definition_of(manifest["apiVersion"], manifest["kind"])
    assert name is not None
    return problems(manifest, name, require=True)


def manifest_of(case: dict[str, Any]) -> dict[str, Any]:
    if "manifest" in case:
        whole: dict[str, Any] = case["manifest"]
        return whole
    spec = {"containers": [{"name": "main", **case.get("container", {})}], **case.get("pod", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}


def told(problem: Problem, expectation: str) -> str:
    """The problem in the notation of the table, with as much detail as the expectation has."""
    text = f"{'.'.join(map(str, problem.path))} {problem.reason}"
    if problem.nearest:
        text += f" -> {problem.nearest}"
    return text + (f": {problem.expected}" if ": " in expectation else "")


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: str(manifest["kind"]))
def test_a_valid_manifest_has_no_problems(manifest: dict[str, Any]) -> None:
    assert check(manifest) == []
    assert schema_verdict(manifest) == "accepts"


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["about"]))
def test_a_fault_is_reported(case: dict[str, Any]) -> None:
    manifest = manifest_of(case)
    found = check(manifest)
    expected: list[str] = case["problems"]
    padded = expected + [""] * (len(found) - len(expected))
    assert [told(problem, text) for problem, text in zip(found, padded, strict=False)] == expected
    assert schema_verdict(manifest) == case["schema"]


def test_every_case_has_its_own_name() -> None:
    names = [case["about"] for case in CASES]
    assert len(set(names)) == len(names)


def places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every container in a manifest with every key or index in it."""
    if isinstance(value, dict | list):
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from places(item)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_whatever_the_schema_refuses_is_a_problem(data: st.DataObject) -> None:
    manifest = copy.deepcopy(data.draw(st.sampled_from(MANIFESTS)))
    parent, key = data.draw(
        st.sampled_from([place for place in places(manifest) if place[1] not in ("apiVersion", "kind")])
    )
    if isinstance(parent, dict) and data.draw(st.booleans()):
        parent[f"{key}z"] = parent.pop(key)
    else:
        parent[key] = data.draw(
            st.sampled_from([None, True, 1, 1.5, "", "a", [], [1], ["a"], {}, {"a": 1}, {"a": "b"}])
        )
    if schema_verdict(manifest) == "refuses":
        assert check(manifest)
