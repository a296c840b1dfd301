"""Plain data, such as JSON has it, laid over other plain data: a config over its defaults, one stack's values over another's."""

from collections.abc import Mapping
from typing import Any


def laid_over(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings deep, anything else replaced; the upper one's values win."""
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        merged[key] = laid_over(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged
