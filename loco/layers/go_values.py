"""What a Go template expression means for one service: its fields, functions and conditions, evaluated over plain data.

What isn't set is nil. In a condition, in ``or``, ``and`` and ``eq``, that counts as in Go; put into a text it is an
error. So is everything that Go would print as a structure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any

from loco import names
from loco.layers.go_expression import is_template
from loco.layers.go_fields import ROOT, SCALAR, Shape, fields_of, url_part
from loco.layers.go_tokens import Call, Expression, Field, Literal
from loco.layers.kv_transfer import kv_transfer_config
from loco.layers.values import shutdown_timeout
from loco.spec.service import KVCacheOffloading
from loco.spec.tree import Branch, Leaf, Node, Row, Scalar, child, leaves, plain

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {"lt": lt, "le": le, "gt": gt, "ge": ge}


class Unusable(Exception):
    """Why an expression has no value here, and what to write instead."""

    def __init__(self, message: str, cure: str) -> None:
        super().__init__(message)
        self.message, self.cure = message, cure


@dataclass(frozen=True, slots=True)
class Value:
    """A mapping or list as its node, a scalar as itself, None for nil.

    Attributes:
        shape: of a service's field; None of what was written or made in the expression.
    """

    data: Branch | Row | Scalar
    shape: Shape | None = None

    @property
    def holds(self) -> bool:
        """Whether it counts as true: by Go's rules, where a number of a spec is set even if it is 0."""
        if self.data is None or self.shape is None:
            return bool(self.data)
        if self.shape.kind in ("struct", "number"):
            return True  # behind a pointer
        return bool(self.data.items) if isinstance(self.data, (Branch, Row)) else bool(self.data)


def printed(expression: Expression, root: Node) -> str:
    """The text that an expression puts in its place. Raises ``Unusable``."""
    data = evaluate(expression, root).data
    if data is None:
        raise Unusable(
            f"{_shown(expression)} isn't set for this service",
            "a value for it, or another for want of it: or … `value`",
        )
    if isinstance(data, (Branch, Row)):
        raise Unusable(
            f"{_shown(expression)} is {_kind(data)}, and only text, a number, true or false goes into a text",
            "one of its fields",
        )
    return str(data).lower() if isinstance(data, bool) else str(data)


def evaluate(expression: Expression, root: Node) -> Value:
    """The value of an expression that ``problems_of`` has nothing against. Raises ``Unusable``.

    Args:
        root: ``ObjectMeta``, ``Spec`` and ``GlobalConfig`` as one tree.
    """
    if isinstance(expression, Literal):
        return Value(expression.value)
    if isinstance(expression, Field):
        return _field(expression, root)
    if expression.function in ("or", "and"):
        return _first(expression, root)
    return _FUNCTIONS[expression.function](expression, [evaluate(item, root) for item in expression.arguments])


def _field(expression: Field, root: Node) -> Value:
    start = evaluate(expression.base, root) if expression.base is not None else Value(_held(root), ROOT)
    value = start
    for name in expression.names:
        if value.data is None:
            return Value(None)
        value = _member(value, name, expression)
    return value


def _member(value: Value, name: str, expression: Expression) -> Value:
    shape, data = value.shape, value.data
    if shape is not None and shape.kind == "url" and isinstance(data, str):
        return Value(url_part(data, name), SCALAR)
    key, below = name, None
    if shape is not None and shape.kind == "struct":
        if name not in fields_of(shape):
            raise Unusable(f"{_shown(expression)} has no field {name}", "a field that is there")
        key, below = fields_of(shape)[name]
    elif shape is not None and shape.kind == "map" and isinstance(shape.of, Shape):
        below = shape.of
    if not isinstance(data, Branch):
        raise Unusable(f"{_kind(data)} has no field {name}", "a field that is there")
    return _value_of(child(data, key), below, expression)


def _value_of(node: Node | None, shape: Shape | None, expression: Expression) -> Value:
    """What stands at a field. What a template makes isn't known yet, and may not go into another one."""
    if isinstance(node, Leaf) and is_template(node):
        raise Unusable(
            f"{_shown(expression)} is a template itself, at {node.origin}, and a template takes values only",
            "the value in one of the two",
        )
    return Value(_held(node) if node is not None else None, shape)


def _held(node: Node) -> Branch | Row | Scalar:
    return node.value if isinstance(node, Leaf) else node


def _first(expression: Call, root: Node) -> Value:
    """``or``: the first that holds, ``and``: the first that doesn't; else the last. Those behind aren't looked at."""
    value = Value(None)
    for argument in expression.arguments:
        value = evaluate(argument, root)
        if value.holds == (expression.function == "or"):
            break
    return value


def _index(expression: Call, values: list[Value]) -> Value:
    value, *keys = values
    for key in keys:
        if value.data is None:
            return Value(None)
        word = key.data
        fits = isinstance(word, str) if isinstance(value.data, Branch) else _is_whole(word)
        is_struct = value.shape is not None and value.shape.kind == "struct"
        if not isinstance(value.data, (Branch, Row)) or not fits or is_struct:
            raise Unusable(
                f"index can't look up {_kind(word)} in {_kind(value.data)}{' with fields' if is_struct else ''}",
                "index MAPPING `key`, or index LIST 0",
            )
        assert isinstance(word, (str, int))
        below = value.shape.of if value.shape is not None and isinstance(value.shape.of, Shape) else None
        value = _value_of(child(value.data, word), below, expression)
    return value


def _child_name(expression: Call, values: list[Value]) -> Value:
    parent, suffix = (value.data for value in values)
    if not isinstance(parent, str) or not isinstance(suffix, str):
        raise Unusable(
            f"ChildName takes two texts, and got {_kind(parent)} and {_kind(suffix)}",
            "ChildName .ObjectMeta.Name `-suffix`",
        )
    return Value(names.child_name(parent, suffix))


def _shutdown_timeout(expression: Call, values: list[Value]) -> Value:
    pod, pre_stop = (value.data for value in values)
    if not (pod is None or isinstance(pod, Branch)) or not _is_whole(pre_stop):
        raise Unusable(
            f"shutdownTimeout takes a pod spec and seconds, and got {_kind(pod)} and {_kind(pre_stop)}",
            "shutdownTimeout .Spec.Template 15",
        )
    assert isinstance(pre_stop, int)
    stated = child(pod, "terminationGracePeriodSeconds") if isinstance(pod, Branch) else None
    grace = stated.value if isinstance(stated, Leaf) else None
    if grace is not None and not _is_whole(grace):
        raise Unusable("terminationGracePeriodSeconds is no whole number", "a whole number there")
    return Value(shutdown_timeout({"terminationGracePeriodSeconds": grace}, pre_stop))


def _kv_transfer(expression: Call, values: list[Value]) -> Value:
    """The whole flag, its quotes escaped: as in KServe it stands within a double-quoted word of bash."""
    tiers = values[0].data
    if tiers is None:
        return Value("")
    if not isinstance(tiers, Branch) or any(isinstance(leaf, Leaf) and is_template(leaf) for _, leaf in leaves(tiers)):
        raise Unusable("kvTransferConfig takes tiers that are no templates", "kvTransferConfig .Spec.KVCacheOffloading")
    try:
        config = kv_transfer_config(KVCacheOffloading.model_validate(plain(tiers)))
    except (ValueError, KeyError, ArithmeticError) as error:
        raise Unusable("the tiers of the KV cache can't be read", "tiers with sizes such as 10Gi") from error
    escaped = config.replace('"', '\\"')
    return Value(f"--kv-transfer-config '{escaped}'")


def _not(expression: Call, values: list[Value]) -> Value:
    return Value(not values[0].holds)


def _equal(expression: Call, values: list[Value]) -> Value:
    """Whether the first is equal to any of the others; nil to nil only."""
    first, *others = (value.data for value in values)
    return Value(any(_are_equal(first, other) for other in others))


def _unequal(expression: Call, values: list[Value]) -> Value:
    return Value(not _are_equal(values[0].data, values[1].data))


def _are_equal(one: Branch | Row | Scalar, other: Branch | Row | Scalar) -> bool:
    if isinstance(one, (Branch, Row)) or isinstance(other, (Branch, Row)):
        if one is None or other is None:
            return False
        raise Unusable(f"{_kind(one)} can't be compared with {_kind(other)}", "one of its fields")
    if one is not None and other is not None and _kind(one) != _kind(other):
        raise Unusable(f"{_kind(one)} can't be compared with {_kind(other)}", "two values of one type")
    return one == other


def _ordered(expression: Call, values: list[Value]) -> Value:
    one, other = (value.data for value in values)
    if _kind(one) != _kind(other) or not isinstance(one, (str, int, float)) or isinstance(one, bool):
        raise Unusable(
            f"{expression.function} compares two numbers or two texts, and got {_kind(one)} and {_kind(other)}",
            f"for what may not be set: {expression.function} (or … 0) 1",
        )
    return Value(_ORDER[expression.function](one, other))


_FUNCTIONS: Mapping[str, Callable[[Call, list[Value]], Value]] = {
    "ChildName": _child_name,
    "shutdownTimeout": _shutdown_timeout,
    "kvTransferConfig": _kv_transfer,
    "index": _index,
    "not": _not,
    "eq": _equal,
    "ne": _unequal,
    **dict.fromkeys(_ORDER, _ordered),
}


def _is_whole(data: object) -> bool:
    return isinstance(data, int) and not isinstance(data, bool)


def _kind(data: object) -> str:
    if data is None:
        return "nothing"
    if isinstance(data, bool):
        return "true or false"
    if isinstance(data, (Branch, Row)):
        return "a mapping" if isinstance(data, Branch) else "a list"
    return "text" if isinstance(data, str) else "a number"


def _shown(expression: Expression) -> str:
    if isinstance(expression, Field):
        base = f"({_shown(expression.base)})" if expression.base is not None else ""
        return base + "".join(f".{name}" for name in expression.names)
    return f"what {expression.function} gives" if isinstance(expression, Call) else "nil"
