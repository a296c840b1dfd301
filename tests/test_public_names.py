"""What ``from loco import …`` offers is described in full: every argument, every attribute."""

import dataclasses
import inspect

import pytest

import loco


@pytest.mark.parametrize("name", loco.__all__)
def test_every_argument_is_described(name: str) -> None:
    offered = getattr(loco, name)
    described = inspect.getdoc(offered) or ""
    assert described, name
    if hasattr(offered, "model_fields"):
        undescribed = [field for field, about in offered.model_fields.items() if not about.description]
    elif dataclasses.is_dataclass(offered):
        undescribed = [f.name for f in dataclasses.fields(offered) if f"\n    {f.name}: " not in described]
    else:
        text = inspect.getdoc(offered.__init__) or "" if inspect.isclass(offered) else described
        arguments = [each for each in inspect.signature(offered).parameters if each != "self"]
        undescribed = [each for each in arguments if f"\n    {each}: " not in text]
    assert undescribed == []


def test_nothing_else_is_offered_and_nothing_is_missing() -> None:
    assert set(loco.__all__) == set(loco._HOMES)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        loco.nothing  # noqa: B018
