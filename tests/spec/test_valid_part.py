"""The part of a faulty config that is sound: one fault must not hide the rest, nor keep the reader busy for ever."""

from typing import Annotated, Any

import pytest
from pydantic import Field

from loco.model import Origin
from loco.spec.base import Spec
from loco.spec.tree import Branch, plant
from loco.spec.validate import valid_part


class Inner(Spec):
    must: str
    may: int = 0


class Outer(Spec):
    one: Inner | None = None
    many: list[Inner] = Field(default_factory=list)
    number: Annotated[int, Field(ge=1)] = 7
    either: int | Inner = 3


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, {}),
        ({"one": {"must": 1, "may": 2}, "number": 2}, {"number": 2}),
        ({"one": {"may": 2}}, {}),
        ({"one": {"mustt": "a"}, "number": 2}, {"number": 2}),
        ({"one": {"must": "a", "may": "b"}}, {"one": {"must": "a"}}),
        ({"one": 3, "number": 0}, {}),
        ({"many": [{"must": "a"}, {"must": 1}], "number": 2}, {"number": 2}),
        ({"many": [{"must": "a"}, {}]}, {}),
        ({"either": {"must": 1}}, {}),
        ({"either": "x", "unknown": 1, "number": 2}, {"number": 2}),
    ],
)
def test_what_is_sound_stays(data: dict[str, Any], expected: dict[str, Any]) -> None:
    tree = plant(data, Origin("config"))
    assert isinstance(tree, Branch)
    assert valid_part(tree, Outer) == Outer.model_validate(expected)
