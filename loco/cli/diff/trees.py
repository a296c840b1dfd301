"""Two merged trees, value by value. Lists are matched as the merge matches them: containers by name, ports by number."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loco.cli.leaves import is_expanded, is_value, members, overrode
from loco.layers.places import Place, below, merge_key
from loco.spec.tree import Branch, Leaf, Node, Row, child, plain

NOWHERE = Place(None)


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that two trees don't share.

    Attributes:
        path: as ``loco explain`` takes it; where items are matched by something else than a name, ``ports[containerPort=80]``.
        first: None where the first tree doesn't set it. A list is one value where its items have no names.
        second: likewise.
        same: whether only the layer differs.
        derived: whether both come from one template, so that the cause is another difference, such as the namespace.
        order: the items' names in each, where nothing but their order differs.
    """

    path: str
    first: Node | None
    second: Node | None
    same: bool = False
    derived: bool = False
    order: tuple[tuple[str, ...], tuple[str, ...]] | None = None


def differences(first: Node, second: Node, path: str, place: Place, origins: bool = False) -> Iterator[Difference]:
    """What differs, in the order of the first tree, then what the second one has more.

    Args:
        place: what the merge knows of this place; ``NOWHERE`` for data that has no keyed lists.
        origins: also values that are the same and come from different layers.
    """
    if isinstance(first, Branch) and isinstance(second, Branch):
        steps = {key: step for node in (first, second) for key, (step, _) in _keys(node).items()}
        for key, step in steps.items():
            where = path + step if path else step.removeprefix(".")
            yield from _pair(first.items.get(key), second.items.get(key), where, below(place, key), place, key, origins)
    else:
        yield from _whole(first, second, path, origins)


def _pair(
    first: Node | None, second: Node | None, path: str, place: Place, parent: Place, key: str, origins: bool
) -> Iterator[Difference]:
    """Of one member. ``place`` is its own, which of a list is that of each item."""
    if second is None:
        yield from (Difference(where, node, None) for where, node in _values(first, path))
    elif first is None:
        yield from (Difference(where, None, node) for where, node in _values(second, path))
    elif isinstance(first, Row) and isinstance(second, Row):
        yield from _rows(first, second, path, place, merge_key(parent, key), origins)
    else:
        yield from differences(first, second, path, place, origins)


def _rows(first: Row, second: Row, path: str, place: Place, by: str | None, origins: bool) -> Iterator[Difference]:
    sides = [_named(row, by) for row in (first, second)]
    one, other = sides
    if one is None or other is None:
        if len(first.items) == len(second.items) and not any(
            isinstance(i, Leaf) for i in (*first.items, *second.items)
        ):
            for (step, item), counterpart in zip(members(first), second.items, strict=True):
                yield from differences(item, counterpart, path + step, place, origins)
        else:
            yield from _whole(first, second, path, origins)
        return
    for name in dict.fromkeys((*one, *other)):
        step = (one.get(name) or other[name])[0]
        left, right = (side[name][1] if name in side else None for side in (one, other))
        yield from _pair(left, right, path + step, place, NOWHERE, "", origins)
    common = [[name for name in side if name in one and name in other] for side in (one, other)]
    if common[0] != common[1]:
        yield Difference(path, first, second, order=(tuple(common[0]), tuple(common[1])))


def _whole(first: Node, second: Node, path: str, origins: bool) -> Iterator[Difference]:
    if not _equal(first, second):
        yield Difference(path, first, second, derived=_of_one_template(first, second))
    elif origins and first.origin.layer != second.origin.layer:
        yield Difference(path, first, second, same=True)


def _of_one_template(first: Node, second: Node) -> bool:
    """Whether what differs was expanded from the same text; in lists, item by item."""
    if isinstance(first, Row) and isinstance(second, Row) and len(first.items) == len(second.items):
        pairs = zip(first.items, second.items, strict=True)
        return all(_equal(*pair) or _of_one_template(*pair) for pair in pairs)
    return (
        isinstance(first, Leaf)
        and isinstance(second, Leaf)
        and is_expanded(first)
        and is_expanded(second)
        and _equal(overrode(first)[0], overrode(second)[0])
    )


def _named(row: Row, by: str | None) -> dict[str, tuple[str, Node]] | None:
    """Items by what names them, each with its step; None where some item has no name, or two the same."""
    for key in dict.fromkeys((by or "name", "name")):
        names = [text for item in row.items if (text := _scalar(child(item, key))) is not None]
        if len(names) == len(row.items) and all(count == 1 for count in Counter(names).values()):
            steps = [
                step if step == f"[{text}]" else f"[{key}={text}]"
                for text, (step, _) in zip(names, members(row), strict=True)
            ]
            return {text: (step, item) for text, step, item in zip(names, steps, row.items, strict=True)}
    return None


def _scalar(node: Node | None) -> str | None:
    return str(node.value) if isinstance(node, Leaf) and node.value is not None else None


def _keys(node: Branch) -> dict[str, tuple[str, Node]]:
    return dict(zip(node.items, members(node), strict=True))


def _values(node: Node | None, path: str) -> Iterator[tuple[str, Node]]:
    """The values that stand on one side only; a list of scalars is one."""
    if node is None:
        return
    if is_value(node) or (isinstance(node, Row) and all(isinstance(item, Leaf) for item in node.items)):
        yield path, node
    else:
        for step, item in members(node):
            yield from _values(item, path + step)


def _equal(first: Node, second: Node) -> bool:
    """As JSON has it: ``1`` and ``true`` are two things; the order of keys is none."""
    return json.dumps(plain(first), sort_keys=True) == json.dumps(plain(second), sort_keys=True)
