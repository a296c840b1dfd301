"""Kubernetes' strategic merge of layers, on trees that remember where each leaf was written.

Mappings are merged deep, lists with a merge key item by item, other lists replaced. An absent field leaves the lower
layer's value; anything that is written wins, be it false, 0, "" or []; null removes. ``$patch: delete|replace`` and
``$retainKeys`` work as in kubectl. Of members that exclude each other the later layer's stands alone.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from loco.layers.places import SPEC, Place, below, exclusive, free_form, merge_key
from loco.model import Origin
from loco.spec.tree import Branch, Leaf, Node, Row, plain, plant

_PATCH, _RETAIN = "$patch", "$retainKeys"
DIRECTIVES = (_PATCH, _RETAIN)
_DELETE = "$patch: delete"
_OF_ONE = ("service", "overrides")  # the other layers serve many, not each of which must have what they remove


@dataclass(frozen=True, slots=True)
class Removal:
    """What a null, an empty list or ``$patch: delete`` (``how``) took away of what a lower layer had set.

    Attributes:
        removed: None where there is nothing that a list item's ``$patch: delete`` could have meant.
    """

    where: str
    how: str
    removed: Node | None
    by: Node


@dataclass(slots=True)
class Merge:
    """One merge of two trees; collects what was removed on the way. ``where`` is the place as messages call it."""

    removals: list[Removal] = field(default_factory=list)

    def nodes(self, base: Node | None, over: Node, place: Place, where: str) -> Node:
        """``over`` laid on ``base``."""
        if isinstance(over, Branch):
            if isinstance(base, Branch) and not free_form(place) and not _says(over, "replace"):
                return self.branches(base, over, place, where)
            return written(over, place)
        if isinstance(over, Row):
            if not over.items and isinstance(base, Row) and base.items:
                self.removals.append(Removal(where, "[]", base, over))
            for index, item in enumerate(over.items):
                if _says(item, "delete") and item.origin.layer in _OF_ONE:
                    self.removals.append(Removal(f"{where}[{index}]", _DELETE, None, item))
            return replace(_written_row(over, place), overrode=base)
        return replace(over, overrode=base)

    def branches(self, base: Branch, over: Branch, place: Place, where: str) -> Branch:
        members = dict(base.items)
        retain = over.items.get(_RETAIN)
        if isinstance(retain, Row):
            kept = {item.value for item in retain.items if isinstance(item, Leaf)}
            members = {key: item for key, item in members.items() if key in kept}
        rivals = exclusive(place)
        chosen = [key for key, item in over.items.items() if key in rivals and _removing(item) is None]
        if chosen:
            members = {key: item for key, item in members.items() if key not in rivals or key in chosen}
        for key, item in over.items.items():
            if key in DIRECTIVES:
                continue
            inside = f"{where}.{key}"
            if (how := _removing(item)) is not None:
                if key in members:
                    self.removals.append(Removal(inside, how, members.pop(key), item))
                continue
            old = members.get(key)
            by = merge_key(place, key)
            if by is not None and isinstance(item, Row) and item.items and isinstance(old, Row):
                members[key] = self.keyed(old, item, by, below(place, key), inside)
            else:
                members[key] = self.nodes(old, item, below(place, key), inside)
        return Branch(members, over.origin)

    def keyed(self, base: Row, over: Row, by: str, place: Place, where: str) -> Row:
        """Items matched by the value of ``by``, in the order of ``_interleaved``."""
        if any(_says(item, "replace") for item in over.items):
            return replace(_written_row(over, place), overrode=base)
        position: dict[object, int] = {}
        for index, item in enumerate(base.items):
            position.setdefault(_key(item, by), index)
        deleted = {_key(item, by): item for item in over.items if _says(item, "delete")}
        for key, item in deleted.items():
            if key in position:
                self.removals.append(Removal(f"{where}[{key}]", _DELETE, base.items[position[key]], item))
            elif item.origin.layer in _OF_ONE:
                self.removals.append(Removal(f"{where}[{'' if key is None else key}]", _DELETE, None, item))
        merged: dict[object, Node] = {}
        for number, item in enumerate(over.items):
            key = _key(item, by)
            if key in deleted:
                continue
            if key is None:
                merged[("unnamed", number)] = written(item, place)
                continue
            old = merged.get(key) or (base.items[position[key]] if key in position else None)
            merged[key] = self.nodes(old, item, place, f"{where}[{key}]")
        left = [
            (index, item)
            for index, item in enumerate(base.items)
            if not (_key(item, by) in merged and position[_key(item, by)] == index) and _key(item, by) not in deleted
        ]
        return Row(tuple(_interleaved(left, list(merged.items()), position)), over.origin)


def _interleaved(
    left: list[tuple[int, Node]], right: list[tuple[object, Node]], position: Mapping[object, int]
) -> Iterable[Node]:
    """Kubernetes' order: a base-only item goes first only if it stood before the patch's next item in the base."""
    lower, upper = deque(left), deque(right)
    while lower and upper:
        at_in_base = position.get(upper[0][0])
        if at_in_base is not None and lower[0][0] < at_in_base:
            yield lower.popleft()[1]
        else:
            yield upper.popleft()[1]
    yield from (item for _, item in lower)
    yield from (item for _, item in upper)


def written(node: Node, place: Place) -> Node:
    """A tree as it stands when nothing lies below it: nulls and directives have nothing to act on."""
    if isinstance(node, Leaf) or free_form(place):
        return node
    if isinstance(node, Row):
        return _written_row(node, place)
    items: dict[str, Node] = {}
    for key, item in node.items.items():
        if key in DIRECTIVES or _removing(item) is not None:
            continue
        # Most members are scalars, which need no place of their own.
        items[key] = item if isinstance(item, Leaf) else written(item, below(place, key))
    return Branch(items, node.origin)


def _written_row(row: Row, place: Place) -> Row:
    """The same of a list; ``place`` is that of its items."""
    kept = (item for item in row.items if isinstance(item, Leaf) or not (_is_bare(item) or _says(item, "delete")))
    return Row(tuple(written(item, place) for item in kept), row.origin, row.overrode)


def merge_trees(layers: Iterable[Node], place: Place = SPEC, where: str = "spec") -> tuple[Node, list[Removal]]:
    """Layers, low to high, as one tree, and what was taken away on the way."""
    merge = Merge()
    empty: Node = Branch({}, Origin("loco"))
    return reduce(lambda base, over: merge.nodes(base, over, place, where), layers, empty), merge.removals


def merge_specs(*specs: Mapping[str, Any]) -> dict[str, Any]:
    """Plain specs of LLMInferenceService, low to high, merged into one plain spec.

    No presets are chosen and no templates expanded. The result shares nothing with the input. Follows Kubernetes'
    strategic merge as KServe applies it to its specs, but for what loco states otherwise: see the module.
    """
    merged, _ = merge_trees(plant(spec, Origin(f"layer {number}")) for number, spec in enumerate(specs))
    result = plain(merged)
    assert isinstance(result, dict)
    return result


def _says(node: Node, directive: str) -> bool:
    patch = node.items.get(_PATCH) if isinstance(node, Branch) else None
    return isinstance(patch, Leaf) and patch.value == directive


def _is_bare(node: Node) -> bool:
    """A list item that holds nothing but ``$patch: replace``."""
    return _says(node, "replace") and isinstance(node, Branch) and len(node.items) == 1


def _removing(node: Node) -> str | None:
    """How a member says that a lower layer's goes; None where it doesn't."""
    if isinstance(node, Leaf) and node.value is None:
        return "null"
    return _DELETE if _says(node, "delete") else None


def _key(item: Node, by: str) -> object:
    value = item.items.get(by) if isinstance(item, Branch) else None
    return value.value if isinstance(value, Leaf) else None
