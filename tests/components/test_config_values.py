"""What the engine hands over as text becomes a value, but for what is text in the first place."""

from typing import Any

import pytest

from loco.components.config import _value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("presets", "1", "1"),
        ("presets", "01", "01"),
        ("presets", '{"version":"1","folder":"own"}', {"version": "1", "folder": "own"}),
        ("deletionProtection", "false", False),
        ("files", '["a"]', ["a"]),
        ("namespace", "1", "1"),
        ("profile", "safe", "safe"),
        ("anything", "plain text", "plain text"),
    ],
)
def test_values(name: str, text: str, value: Any) -> None:
    assert _value(name, text) == value
