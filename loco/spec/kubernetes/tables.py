"""The generated tables, read when first asked for: which fields a definition has, of what type, and how they merge.

The notation of the file is described where it is written, in dev/kubernetes_tables/generate.py.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

KUBERNETES_VERSION: str = "1.35"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a definition.

    `type` is that of one element: string, integer, number, boolean, quantity, int-or-string, bytes (base64), time, any,
    or object. `of` names the definition of an object; an object without one is free-form. `merge_key` is set for lists
    that strategic merge matches by key; a list without it is replaced whole. `retain_keys`: of an object
    (in a keyed list: of an element) only the keys that the later layer writes are kept. `enum` lists the allowed
    strings, () for any.
    """

    type: str
    shape: str  # one, list, or map (from strings)
    of: str | None
    merge_key: str | None
    retain_keys: bool
    required: bool
    enum: tuple[str, ...]


def definition(name: str) -> Mapping[str, Field]:
    """The fields of a definition such as "PodSpec", by key. KeyError for a name that is not in the tables."""
    return _definition(name)


def definition_of(api_version: str, kind: str) -> str | None:
    """The definition of a kind, ("apps/v1", "Deployment") to "Deployment"; None for a kind that is not there."""
    name: str | None = _tables()["kinds"].get(f"{api_version} {kind}")
    return name


def is_known_definition(name: str) -> bool:
    return name in _tables()["definitions"]


class _OneOf(Mapping[str, frozenset[str]]):
    """ONE_OF without reading the tables at import."""

    def __getitem__(self, name: str) -> frozenset[str]:
        return frozenset(_tables()["oneOf"][name])

    def __iter__(self) -> Iterator[str]:
        return iter(_tables()["oneOf"])

    def __len__(self) -> int:
        return len(_tables()["oneOf"])


# Definition to the fields of which at most one may be set: "EnvVar" to {"value", "valueFrom"}, "Volume" to its sources.
ONE_OF: Mapping[str, frozenset[str]] = _OneOf()


@cache
def _tables() -> Mapping[str, Any]:
    file = resources.files(__package__) / f"v{KUBERNETES_VERSION.replace('.', '_')}.json"
    tables: Mapping[str, Any] = json.loads(file.read_text("utf-8"))
    return tables


@cache
def _definition(name: str) -> Mapping[str, Field]:
    # A copy of a table that is shared by all callers must not be writable.
    return MappingProxyType({key: _field(text) for key, text in _tables()["definitions"][name].items()})


def _field(text: str) -> Field:
    """Reads one field: "Volume[] key=name retain", "string required enum=A|B"."""
    element, *words = text.split(" ")
    bare = element.removesuffix("[]").removesuffix("{}")
    options = dict(word.partition("=")[::2] for word in words)
    return Field(
        type="object" if bare[0].isupper() else bare,
        shape={"[]": "list", "{}": "map"}.get(element[len(bare) :], "one"),
        of=bare if bare[0].isupper() else None,
        merge_key=options.get("key"),
        retain_keys="retain" in options,
        required="required" in options,
        enum=tuple(options["enum"].split("|")) if "enum" in options else (),
    )
