"""Reading data whose shape nobody has promised: a refused plan's manifests, a cluster's custom resources."""

from collections.abc import Iterator, Mapping
from typing import Any

from loco.spec.tree import Path

Data = Mapping[str, Any]


def mapping(value: object) -> Data:
    """The mapping, an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> Iterator[tuple[int, Data]]:
    """The mappings in a list, with their places; nothing for anything else."""
    for index, item in enumerate(value if isinstance(value, list | tuple) else ()):
        if isinstance(item, Mapping):
            yield index, item


def text(value: object) -> str | None:
    """A name, None where there is none."""
    return value if isinstance(value, str) and value else None


def mappings(value: object, path: Path = ()) -> Iterator[tuple[Path, Data]]:
    """Every mapping at any depth, from the outside in."""
    if isinstance(value, Mapping):
        yield path, value
        for key, item in value.items():
            yield from mappings(item, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from mappings(item, (*path, index))
