"""Pulumi carries every number as a float; those that are whole were integers where somebody wrote them."""

from collections.abc import Mapping
from typing import Any


def with_integers(value: Any) -> Any:
    """A copy of plain data, whose whole floats are integers."""
    if isinstance(value, Mapping):
        return {str(key): with_integers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
