"""Documents as trees whose every node knows where it was written.

Nodes are frozen and may be shared between trees, so nothing that is built from them can alias a caller's data:
``plain`` makes fresh dicts and lists each time.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from loco.model import Origin

Scalar = str | int | float | bool | None
Path = tuple[str | int, ...]

MOST_LEVELS = 100  # far deeper than any object of Kubernetes, far from Python's own limit
LARGEST = 2**63  # Kubernetes' integers have 64 bits
HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_PLAIN_KEY = re.compile(r"[^\s.\[\]\"]+")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar.

    Attributes:
        overrode: the node that it took the place of in a merge, and so on down.
        spelling: what stands in the file, where YAML read it as something other than text: ``yes``, ``0755``, ``1.10``.
    """

    value: Scalar
    origin: Origin
    overrode: "Node | None" = None
    spelling: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """A mapping, in document order."""

    items: Mapping[str, "Node"]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Row:
    """A sequence."""

    items: tuple["Node", ...]
    origin: Origin
    overrode: "Node | None" = None


Node = Leaf | Branch | Row


class NotPlain(TypeError):
    """Data that JSON can't hold; ``path`` is where it stands."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text)
        self.path = path


def plant(value: Any, origin: Origin, path: Path = ()) -> Node:
    """A tree of plain data, all of it from one place. Raises NotPlain, a TypeError with the path, for what JSON can't hold."""
    if len(path) > MOST_LEVELS:
        raise NotPlain(path[:3], f"{dotted(path[:3])} is nested too deeply: at most {MOST_LEVELS} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or HALF_CHARACTER.search(key):
                raise NotPlain(path, f"a key of {dotted(path) or 'the mapping'} must be text, and is {key!r}")
        return Branch({key: plant(item, origin, (*path, key)) for key, item in value.items()}, origin)
    if isinstance(value, (list, tuple)):
        return Row(tuple(plant(item, origin, (*path, index)) for index, item in enumerate(value)), origin)
    where = dotted(path) or "the value"
    if isinstance(value, float) and not math.isfinite(value):
        raise NotPlain(path, f"{where} is {value}, which JSON doesn't have")
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise NotPlain(path, f"{where} is a number of more than 64 bits, which Kubernetes does not have")
    if isinstance(value, str) and HALF_CHARACTER.search(value):
        raise NotPlain(path, f"{where} holds half a character (a lone surrogate)")
    if value is None or isinstance(value, (str, bool, int, float)):
        return Leaf(value, origin)
    raise NotPlain(path, f"{where} is of the type {type(value).__name__}, which is not plain data")


def plain(node: Node) -> Any:
    """Fresh dicts, lists and scalars."""
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Row):
        return [plain(item) for item in node.items]
    return {key: plain(item) for key, item in node.items.items()}


def relayered(node: Node, layer: str) -> Node:
    """The same values with the same lines, known by the layer that they act as."""
    origin = Origin(layer, node.origin.file, node.origin.line)
    if isinstance(node, Leaf):
        return replace(node, origin=origin)
    if isinstance(node, Row):
        return Row(tuple(relayered(item, layer) for item in node.items), origin)
    return Branch({key: relayered(item, layer) for key, item in node.items.items()}, origin)


def child(node: Node | None, key: str | int) -> Node | None:
    """The node under one key or index, None where there is none."""
    if isinstance(node, Branch) and isinstance(key, str):
        return node.items.get(key)
    if isinstance(node, Row) and isinstance(key, int) and 0 <= key < len(node.items):
        return node.items[key]
    return None


def at(node: Node | None, path: Path) -> Node | None:
    """The node at a path, None where there is none."""
    for key in path:
        node = child(node, key)
    return node


def text_of(node: Node | None) -> str | None:
    """The node's text; None where there is no node, or something else than text."""
    return node.value if isinstance(node, Leaf) and isinstance(node.value, str) else None


def nearest(node: Node, path: Path) -> Node:
    """The node at a path, or the deepest one on the way to it: the place to point at when a field is missing."""
    for key in path:
        below = child(node, key)
        if below is None:
            return node
        node = below
    return node


def leaves(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every scalar and every empty mapping or sequence, with its path, in document order."""
    if isinstance(node, Branch) and node.items:
        for key, item in node.items.items():
            yield from leaves(item, (*path, key))
    elif isinstance(node, Row) and node.items:
        for index, item in enumerate(node.items):
            yield from leaves(item, (*path, index))
    else:
        yield path, node


def scalars(node: Node) -> Iterator[Leaf]:
    """Every scalar, in no particular order: for a quick look at all of them."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Leaf):
            yield found
        else:
            waiting.extend(found.items.values() if isinstance(found, Branch) else found.items)


def dotted(path: Path, root: Node | None = None) -> str:
    """A path as text: ``spec.template.containers[main].image``; an odd key in quotes: ``spec.labels["a.b/c"]``.

    With ``root``, an index of a list of named items is shown as the name, which survives reordering.
    """
    text = ""
    node = root
    for key in path:
        node = child(node, key) if node is not None else None
        if isinstance(key, int):
            name = child(node, "name") if node is not None else None
            named = isinstance(name, Leaf) and isinstance(name.value, str) and name.value
            text += f"[{named or key}]"
        elif not _PLAIN_KEY.fullmatch(key):
            text += f"[{json.dumps(key, ensure_ascii=False)}]"
        else:
            text += f".{key}" if text else key
    return text
