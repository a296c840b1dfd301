"""What holds for every merge, and the agreement with what KServe's own merge made of 200 random layer stacks."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loco.layers import merge_specs

TEXT = st.sampled_from(["a", "b", "c", ""])
MAPS = st.recursive(
    TEXT | st.integers(0, 2) | st.booleans(),
    lambda inner: st.dictionaries(st.sampled_from(["x", "y", "z"]), inner, max_size=3),
    max_leaves=8,
)
# One shape per key, as in any schema: a key is a mapping in each layer or in none.
SCALAR_MAPS = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(TEXT, TEXT, max_size=3),
        "model": st.fixed_dictionaries({}, optional={"uri": TEXT, "name": TEXT}),
        "template": st.fixed_dictionaries(
            {}, optional={"nodeSelector": st.dictionaries(TEXT, TEXT, max_size=3), "hostNetwork": st.booleans()}
        ),
        "replicas": st.integers(0, 3),
    },
)
CONTAINER = st.fixed_dictionaries(
    {"name": TEXT},
    optional={
        "image": TEXT,
        "args": st.lists(TEXT, max_size=2),
        "env": st.lists(st.fixed_dictionaries({"name": TEXT, "value": TEXT}), max_size=3),
        "ports": st.lists(st.fixed_dictionaries({"containerPort": st.integers(1, 3)}), max_size=2),
    },
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(TEXT, TEXT | st.none(), max_size=3),
        "replicas": st.none() | st.integers(0, 3),
        "template": st.none() | st.fixed_dictionaries({}, optional={"containers": st.lists(CONTAINER, max_size=3)}),
        "router": st.fixed_dictionaries(
            {},
            optional={
                "scheduler": st.fixed_dictionaries({}, optional={"config": st.fixed_dictionaries({"inline": MAPS})})
            },
        ),
    },
)


@given(SPECS, SPECS)
def test_input_is_neither_changed_nor_shared(base: dict[str, Any], over: dict[str, Any]) -> None:
    before = copy.deepcopy((base, over))
    merged = merge_specs(base, over)
    assert (base, over) == before

    def containers(value: Any) -> list[int]:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        own = [id(value)] if isinstance(value, dict | list) else []
        return own + [found for item in inner for found in containers(item)]

    assert not set(containers(merged)) & {*containers(base), *containers(over)}


@given(SPECS)
def test_an_empty_layer_changes_nothing(spec: dict[str, Any]) -> None:
    alone = merge_specs(spec)
    assert merge_specs(spec, {}) == alone
    assert merge_specs({}, spec) == alone
    assert merge_specs(alone) == alone, "a merged spec is as it is"


@given(st.lists(SPECS, max_size=3), st.integers(0, 3))
def test_an_empty_layer_changes_nothing_wherever_it_lies(specs: list[dict[str, Any]], place: int) -> None:
    assert merge_specs(*specs[:place], {}, *specs[place:]) == merge_specs(*specs)


@given(SPECS, SPECS)
def test_who_changes_one_of_them_changes_no_other(base: dict[str, Any], over: dict[str, Any]) -> None:
    def spoil(value: Any) -> None:
        for item in list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else ():
            spoil(item)
        if isinstance(value, dict | list):
            value.clear()

    before, merged = copy.deepcopy((base, over)), merge_specs(base, over)
    spoil(merged)
    assert (base, over) == before
    merged = merge_specs(base, over)
    kept = copy.deepcopy(merged)
    spoil(base)
    spoil(over)
    assert merged == kept


@given(SCALAR_MAPS, SCALAR_MAPS, SCALAR_MAPS)
def test_maps_of_scalars_merge_associatively(one: Any, two: Any, three: Any) -> None:
    assert merge_specs(merge_specs(one, two), three) == merge_specs(one, merge_specs(two, three))
    assert merge_specs(one, two, three) == merge_specs(merge_specs(one, two), three)


@given(SPECS, SPECS)
def test_what_the_last_layer_writes_stands(base: dict[str, Any], over: dict[str, Any]) -> None:
    merged = merge_specs(base, over)
    for key, value in over.get("labels", {}).items():
        assert (key not in merged["labels"]) if value is None else merged["labels"][key] == value
    names = [item["name"] for item in (over.get("template") or {}).get("containers", [])]
    found = [item["name"] for item in (merged.get("template") or {}).get("containers", [])]
    assert set(names) <= set(found)


# -------------------------------------------------------------------- recorded merges of KServe
MEANT = (
    "emptyDir",
    "route",
    "gateway",
    "scheduler",
    "tracing",
    "router",
    "http",
)  # where an empty object says something
SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def comparable(value: Any, path: tuple[str, ...] = ()) -> Any:
    """Without what the reference's serialiser adds: other empty objects, an empty uri; quantities as numbers."""
    if isinstance(value, dict):
        items = {key: comparable(item, (*path, key)) for key, item in value.items()}
        return {
            key: item
            for key, item in items.items()
            if (key in MEANT or item not in ({}, None)) and (key, item) != ("uri", "")
        }
    if isinstance(value, list):
        return [comparable(item, path) for item in value]
    if path[-1:] == ("sizeLimit",) or path[-2:-1] in (("requests",), ("limits",)):
        number = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", str(value))
        if number and number[2] in SUFFIXES:
            return round(float(number[1]) * SUFFIXES[number[2]], 6)
    return value


def test_recorded_merges(shared: Path) -> None:
    file = shared / "goldens" / "merge-pairs.jsonl"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    lines = file.read_text().splitlines()
    assert len(lines) == 200
    for number, line in enumerate(lines, 1):
        case = json.loads(line)
        assert comparable(merge_specs(*case["layers"])) == comparable(case["merged"]), f"line {number}"
