"""A value against a definition: all problems at once, each with what was expected instead."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from loco.spec.kubernetes import scalars
from loco.spec.kubernetes.tables import Field, definition

Path = tuple[str | int, ...]
Reason = Literal["unknown-key", "type", "value", "required", "duplicate-key"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. `value` is what stands at `path` (None for "required"); `expected` finishes "expected …"."""

    path: Path
    reason: Reason
    value: object
    expected: str
    nearest: str | None = None


# Lists in which a key must be unique: definition and field to the key and the noun for what shares it. Containers and
# init containers share one set of names. Other keyed lists may repeat: env lets the last entry win, a port may be both
# TCP and UDP.
_UNIQUE: Mapping[tuple[str, str], tuple[str, str]] = {
    ("PodSpec", "initContainers"): ("name", "container"),
    ("PodSpec", "containers"): ("name", "container"),
    ("PodSpec", "volumes"): ("name", "volume"),
    ("Container", "volumeMounts"): ("mountPath", "volume mount"),
}
_DNS_LABELS = frozenset({("Container", "name"), ("Volume", "name")})


def problems(
    value: object,
    definition_name: str,
    path: Path = (),
    *,
    require: bool = False,
    allow_null: bool = False,
) -> list[Problem]:
    """All problems of a value, depth first in document order; missing required fields come after their siblings.

    `path` is where the value stands and is put before every path. The keywords tell a layer from a whole object:
    `require` asks for required fields, names that are DNS labels and keys that are unique; `allow_null` takes null for
    "remove" in mappings, never in lists. Reads the value only. KeyError for an unknown definition.
    """
    definition(definition_name)  # a misspelt definition is the caller's fault even when the value never reaches it
    root = Field("object", "one", definition_name, None, False, False, ())
    return list(_Check(require, allow_null).entry(value, root, path))


@dataclass(frozen=True, slots=True)
class _Check:
    require: bool
    allow_null: bool

    def entry(self, value: object, field: Field, path: Path, unique: "_Unique | None" = None) -> Iterator[Problem]:
        """A value of a mapping, where null may mean "remove"."""
        if value is None and field.type != "any":
            if not self.allow_null:
                yield Problem(path, "value", value, phrase(field))
        elif field.shape == "list":
            yield from self.elements(value, field, path, unique)
        elif field.shape == "map":
            yield from self.pairs(value, field, path)
        else:
            yield from self.one(value, field, path)

    def elements(self, value: object, field: Field, path: Path, unique: "_Unique | None") -> Iterator[Problem]:
        if not isinstance(value, list | tuple):
            yield Problem(path, "type", value, phrase(field))
            return
        for index, item in enumerate(value):
            at = (*path, index)
            if unique:
                yield from unique.repeated(item, at)
            if item is None and field.type != "any":
                yield Problem(at, "value", item, phrase(field, element=True))
            else:
                yield from self.one(item, field, at)

    def pairs(self, value: object, field: Field, path: Path) -> Iterator[Problem]:
        if not isinstance(value, Mapping):
            yield Problem(path, "type", value, phrase(field))
            return
        for key, item in value.items():
            at = (*path, str(key))
            if not isinstance(key, str):
                yield Problem(at, "type", key, "a key that is a string")
            elif item is None and field.type != "any":
                if not self.allow_null:
                    yield Problem(at, "value", item, phrase(field, element=True))
            else:
                yield from self.one(item, field, at)

    def one(self, value: object, field: Field, path: Path) -> Iterator[Problem]:
        """One element that is not null."""
        if field.of is None:
            if reason := scalars.wrong(value, field.type, field.enum):
                yield Problem(path, reason, value, phrase(field, element=True))
        elif isinstance(value, Mapping):
            yield from self.fields(value, field.of, path)
        else:
            yield Problem(path, "type", value, phrase(field, element=True))

    def fields(self, value: Mapping[object, object], name: str, path: Path) -> Iterator[Problem]:
        known = definition(name)
        seen: dict[str, set[str]] = {}
        for key, item in value.items():
            at = (*path, str(key))
            field = known.get(key) if isinstance(key, str) else None
            if field is None:
                yield Problem(at, "unknown-key", item, f"a field of {name}", nearest(str(key), known))
                continue
            yield from self.entry(item, field, at, self.unique(name, str(key), seen))
            if self.require and (name, key) in _DNS_LABELS and isinstance(item, str) and not scalars.is_dns_label(item):
                yield Problem(at, "value", item, scalars.DNS_LABEL)
        if self.require:
            for key, field in known.items():
                # A null that is not allowed was reported above as what it is.
                if field.required and (key not in value or (value[key] is None and self.allow_null)):
                    yield Problem((*path, key), "required", None, phrase(field))

    def unique(self, name: str, key: str, seen: dict[str, set[str]]) -> "_Unique | None":
        if not self.require or (name, key) not in _UNIQUE:
            return None
        member, noun = _UNIQUE[name, key]
        return _Unique(member, noun, seen.setdefault(noun, set()))


@dataclass(frozen=True, slots=True)
class _Unique:
    """The values that `member` has had so far among the elements called `noun`."""

    member: str
    noun: str
    seen: set[str]

    def repeated(self, item: object, path: Path) -> Iterator[Problem]:
        value = item.get(self.member) if isinstance(item, Mapping) else None
        if isinstance(value, str):
            if value in self.seen:
                yield Problem(
                    (*path, self.member), "duplicate-key", value, f"a {self.member} that no other {self.noun} has"
                )
            self.seen.add(value)


def phrase(field: Field, *, element: bool = False) -> str:
    """What a field takes, to follow "expected": "a list of strings". With `element`, what one element of it is."""
    scalar = scalars.SCALARS[field.type]
    if element or field.shape == "one":
        if field.enum:
            return scalars.choice(field.enum)
        return f"{scalar.one} ({field.of})" if field.of else scalar.one
    many = f"{scalar.many} ({field.of})" if field.of else scalar.many
    return f"a list of {many}" if field.shape == "list" else f"a mapping of {many}"


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that a misspelt one most likely means, whatever its case or separators; None if none is close."""
    spellings = {_plain(name): name for name in known}
    close = difflib.get_close_matches(_plain(key), spellings, n=1)
    return spellings[close[0]] if close else None


def _plain(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "")
