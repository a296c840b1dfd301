"""Two trees, value by value: a table of cases, and what holds for all trees."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from loco.cli.diff.trees import NOWHERE, Difference, differences
from loco.layers.places import SPEC
from loco.model import Origin
from loco.spec.tree import plain, plant

CASES = yaml.safe_load(Path(__file__).with_name("trees.yaml").read_text())
WORDS = st.sampled_from(["a", "b", "1", ""])
DATA = st.recursive(
    WORDS | st.integers(0, 2) | st.booleans() | st.none(),
    lambda inner: (
        st.dictionaries(st.sampled_from(["name", "x", "y.z"]), inner, max_size=3) | st.lists(inner, max_size=3)
    ),
    max_leaves=10,
)
TREES = st.dictionaries(st.sampled_from(["p", "q"]), DATA, max_size=2)


def between(first: Any, second: Any, place: Any = NOWHERE, origins: bool = False) -> list[Difference]:
    trees = (plant(value, Origin(layer)) for value, layer in ((first, "service"), (second, "overrides")))
    one, other = trees
    return list(differences(one, other, "", place, origins))


def sides(difference: Difference) -> tuple[str, list[Any]]:
    if difference.order:
        return f"{difference.path} (order)", [list(names) for names in difference.order]
    nodes = (difference.first, difference.second)
    return difference.path, [None if node is None else plain(node) for node in nodes]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_table(case: dict[str, Any]) -> None:
    found = [sides(difference) for difference in between(case["first"], case["second"], SPEC)]
    assert dict(found) == case["differs"]
    assert len(found) == len(case["differs"]), "each path once"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_other_way_round(case: dict[str, Any]) -> None:
    found = {path: pair[::-1] for path, pair in map(sides, between(case["second"], case["first"], SPEC))}
    assert found == case["differs"]


@given(TREES, TREES)
def test_nothing_differs_where_nothing_does(first: Any, second: Any) -> None:
    assert between(first, first) == []
    alike = yaml.safe_dump(first, sort_keys=True) == yaml.safe_dump(second, sort_keys=True)
    found = between(first, second)
    assert (found == []) is alike
    paths = [(difference.path, difference.order) for difference in found]
    assert len(paths) == len(set(paths)), "each path once"


@given(TREES)
def test_all_of_one_layer_against_another(tree: Any) -> None:
    found = between(tree, tree, origins=True)
    assert all(difference.same for difference in found)


def test_origins_are_told_apart_by_layer() -> None:
    found = between({"a": 1, "b": ["x"], "c": {}}, {"a": 1, "b": ["x"], "c": {}}, origins=True)
    assert [difference.path for difference in found] == ["a", "b"]
    same = plant({"a": 1}, Origin("service", "one.yaml", 1)), plant({"a": 1}, Origin("service", "two.yaml", 9))
    assert list(differences(*same, "", NOWHERE, origins=True)) == []
