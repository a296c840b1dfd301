"""The specification of the merge: each entry of a table is one idea."""

from typing import Any

import pytest

from loco.layers.merge import merge_trees
from loco.model import Origin
from loco.spec.tree import plain, plant
from tests.layers.merge_tables import merge_tables

ENTRIES = [
    pytest.param(entry, id=f"{table}: {entry['idea']}")
    for table, entries in merge_tables().items()
    for entry in entries
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_table(entry: dict[str, Any]) -> None:
    assert entry.keys() <= {"idea", "layers", "result", "removed"}
    layers = [plant(layer, Origin(str(number))) for number, layer in enumerate(entry["layers"])]
    merged, removals = merge_trees(layers)
    assert plain(merged) == entry["result"]
    if "removed" in entry:
        said = [f"{removal.where} {removal.how} {removal.removed.origin.layer}" for removal in removals]
        assert said == entry["removed"]


def test_every_idea_stands_once() -> None:
    ideas = [entry.values[0]["idea"] for entry in ENTRIES]
    assert len(set(ideas)) == len(ideas)
