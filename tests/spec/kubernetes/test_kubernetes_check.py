"""The keywords of `problems`, and what must hold of any input."""

import copy
from functools import cache
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loco.spec.kubernetes import Problem, definition, problems
from loco.spec.kubernetes.check import nearest
from loco.spec.kubernetes.scalars import wrong

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


@cache
def near(name: str, depth: int) -> st.SearchStrategy[Any]:
    """Values in the shape of a definition whose leaves may be anything, so that the check gets past the first level."""
    if depth == 0:
        return JSON
    members: dict[str, st.SearchStrategy[Any]] = {}
    for key, field in definition(name).items():
        one = near(field.of, depth - 1) if field.of else SCALAR
        shaped = {
            "one": one,
            "list": st.lists(one, max_size=2),
            "map": st.dictionaries(st.text(max_size=3), one, max_size=2),
        }
        members[key] = shaped[field.shape] | SCALAR
    return st.fixed_dictionaries({}, optional=members) | st.dictionaries(st.text(), JSON, max_size=2)


@settings(deadline=None)
@given(JSON | near("PodSpec", 3) | near("Container", 3), st.booleans(), st.booleans())
def test_problems_never_raises_or_mutates(value: object, require: bool, allow_null: bool) -> None:
    before = copy.deepcopy(value)
    for name in ("PodSpec", "Container", "Deployment"):
        for problem in problems(value, name, ("spec",), require=require, allow_null=allow_null):
            assert problem.path[0] == "spec"
            assert problem.expected
    assert repr(value) == repr(before)  # by text: a NaN is not equal to itself


def test_a_layer_need_not_be_complete() -> None:
    layer = {"containers": [{"image": "a:1"}, {"name": "a_b"}, {"name": "a_b"}]}
    assert problems(layer, "PodSpec") == []
    found = [problem.reason for problem in problems(layer, "PodSpec", require=True)]
    assert found == ["required", "value", "duplicate-key", "value"]


def test_null_removes_in_mappings_and_never_in_lists() -> None:
    layer = {"nodeSelector": {"gpu": None}, "affinity": None, "tolerations": None, "containers": [None]}
    assert [problem.path for problem in problems(layer, "PodSpec")] == [
        ("nodeSelector", "gpu"),
        ("affinity",),
        ("tolerations",),
        ("containers", 0),
    ]
    assert [problem.path for problem in problems(layer, "PodSpec", allow_null=True)] == [("containers", 0)]
    assert problems(None, "PodSpec", allow_null=True) == []


def test_a_required_field_that_a_layer_removes_is_missing() -> None:
    found = problems({"containers": None}, "PodSpec", require=True, allow_null=True)
    assert found == [Problem(("containers",), "required", None, "a list of mappings (Container)")]


def test_the_path_of_the_value_comes_first() -> None:
    found = problems({"containers": [{"name": "a", "tty": 1}]}, "PodSpec", ("spec", "template"))
    assert found == [Problem(("spec", "template", "containers", 0, "tty"), "type", 1, "true or false")]


def test_a_value_that_is_no_mapping() -> None:
    assert problems([], "PodSpec") == [Problem((), "type", [], "a mapping (PodSpec)")]


def test_keys_that_yaml_made_no_strings_of() -> None:
    found = problems({True: 1, "nodeSelector": {8: "a"}}, "PodSpec")
    assert found == [
        Problem(("True",), "unknown-key", 1, "a field of PodSpec"),
        Problem(("nodeSelector", "8"), "type", 8, "a key that is a string"),
    ]


def test_frozen_values_are_mappings_and_lists_too() -> None:
    frozen = MappingProxyType({"containers": (MappingProxyType({"name": "a", "args": ("b",)}),)})
    assert problems(frozen, "PodSpec", require=True) == []


def test_an_unknown_definition_is_the_callers_fault() -> None:
    with pytest.raises(KeyError):
        problems(1, "PodSpecification")


@pytest.mark.parametrize(
    ("definition_name", "key", "known"),
    [
        ("DeploymentSpec", "replicaz", "replicas"),
        ("DeploymentSpec", "Replicas", "replicas"),
        ("ContainerPort", "containerport", "containerPort"),
        ("Container", "image_pull_policy", "imagePullPolicy"),
        ("Container", "image-pull-policy", "imagePullPolicy"),
        ("Container", "resource", "resources"),
        ("Container", "readynessProbe", "readinessProbe"),
        ("PodSpec", "nodeselector", "nodeSelector"),
        ("PodSpec", "serviceAcountName", "serviceAccountName"),
        ("PodSpec", "tolerationz", "tolerations"),
        ("Volume", "emptydir", "emptyDir"),
        ("Volume", "pvc", None),
        ("ObjectMeta", "annotation", "annotations"),
        ("PodSpec", "", None),
    ],
)
def test_nearest(definition_name: str, key: str, known: str | None) -> None:
    assert nearest(key, definition(definition_name)) == known


@pytest.mark.parametrize(
    "text", ["1", "-1", "+1.5", ".5", "1.", "1Ki", "1.5Gi", "100m", "1k", "1E", "1Ei", "1e3", "1E-3", "1e+3", "5n"]
)
def test_a_quantity(text: str) -> None:
    assert wrong(text, "quantity") is None


@pytest.mark.parametrize(
    "text", ["9" * 5000, "", "1K", "1KB", "1 Gi", "Gi", ".", "1e", "1mi", "1Gi ", "1_000", "0x10", "1\n", "\u0661"]
)
def test_no_quantity(text: str) -> None:
    assert wrong(text, "quantity") == "value"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_quantity_is_finite(number: float) -> None:
    assert wrong(number, "quantity") == "value"


@pytest.mark.parametrize(
    ("text", "verdict"), [("", None), ("YQ==", None), ("YWJj\nYWJj", None), ("YQ", "value"), ("ä", "value")]
)
def test_base64(text: str, verdict: str | None) -> None:
    assert wrong(text, "bytes") == verdict
