"""The sandbox that presets' templates run in: a slip of the pen neither hangs it nor takes all memory.

Jinja2's own sandbox guards what a template may reach. Here is what it may spend: every turn of a loop, call and
include is a step, every character that an expression makes counts, and what makes text of any width is left out.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, meta, nodes, pass_context
from jinja2 import filters as shipped
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import htmlsafe_json_dumps
from jinja2.visitor import NodeTransformer

from loco.spec.tree import LARGEST

LONGEST = 2**20  # characters of one text; an API server takes objects of 1.5 MiB
TOO_LONG = f"the text has more than {LONGEST} characters"
_MOST_STEPS = 10_000
_TOO_MANY = f"it takes more than {_MOST_STEPS} steps"
_HIGHEST_POWER = 64
_BUDGET = "__budget"  # the context's name for it, which no template can write

# Jinja2's filters without those that pad, format or repeat (a width of 10**9 is all memory), and without chance.
_FILTERS = (
    "abs capitalize count d default dictsort first float int items last length list lower max min reject rejectattr "
    "round select selectattr sort title trim unique upper wordcount"
)
_PADDING = frozenset(["center", "ljust", "rjust", "zfill", "expandtabs", "format", "format_map", "translate"])


@dataclass(slots=True)
class Budget:
    """What the expansion of one text may still spend. Spending more raises ValueError."""

    steps: int = _MOST_STEPS
    characters: int = 4 * LONGEST

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise ValueError(_TOO_MANY)

    def grow(self, length: int) -> None:
        self.characters -= length
        if length > LONGEST or self.characters < 0:
            raise ValueError(TOO_LONG)


def with_budget(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of one expansion, with a budget of its own."""
    return {**values, _BUDGET: Budget()}


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment whose templates are expanded with ``with_budget`` of their values."""

    intercepted_binops = frozenset(["+", "*", "**", "%"])

    def __init__(self, printable: Callable[[object], object], **options: Any) -> None:
        @pass_context
        def finalize(context: Context, value: object) -> object:
            shown = printable(value)
            _weigh(shown, _budget(context))
            return shown

        super().__init__(finalize=finalize, **options)
        self.globals.clear()
        known = {name: self.filters[name] for name in _FILTERS.split()}
        counted = {"join": _join, "map": _map, "replace": _replace, "string": _string, "tojson": _tojson}
        self.filters = {**known, **counted, "_turns": _turns, "_included": _included}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Counting().visit(super()._parse(source, name, filename))
        return tree

    def wrap_str_format(self, value: Any) -> None:
        """None: ``format`` is no method that a template has."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return super().is_safe_attribute(obj, attr, value) and not (isinstance(obj, str | bytes) and attr in _PADDING)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        budget = _budget(context)
        budget.step()
        owner, method = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, str) and method == "replace":
            return _replace(context, owner, *args, **kwargs)
        if isinstance(owner, str) and method == "join" and len(args) == 1:
            return _join(context, args[0], owner)
        made = super().call(context, obj, *args, **kwargs)
        if isinstance(made, str):
            budget.grow(len(made))
        return made

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" and not (abs(right) <= _HIGHEST_POWER and abs(left) < LARGEST):
            raise ValueError(f"a power above {_HIGHEST_POWER}")
        if operator == "%" and isinstance(left, str | bytes):
            raise SecurityError("% on text isn't there: write ~ between the parts")
        if operator == "+" and isinstance(left, str | list | tuple) and isinstance(right, type(left)):
            _budget(context).grow(len(left) + len(right))
        for text, times in ((left, right), (right, left)):
            if operator == "*" and isinstance(times, int) and isinstance(text, str | list | tuple):
                _budget(context).grow(len(text) * max(times, 0))
        return super().call_binop(context, operator, left, right)


class _Counting(NodeTransformer):
    """Has loops and includes counted, and ``a ~ b`` made by a filter that counts."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        if node.recursive:
            raise TemplateSyntaxError("recursive loops aren't there", node.lineno)
        node.iter = _filtered(node.iter, "_turns")
        return self.generic_visit(node)

    def visit_Include(self, node: nodes.Include) -> nodes.Node:
        node.template = _filtered(node.template, "_included")
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "join")


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    assert isinstance(node, nodes.Expr)
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _budget(context: Context) -> Budget:
    budget = context.get(_BUDGET)
    assert isinstance(budget, Budget), "expanded without with_budget"
    return budget


@pass_context
def _turns(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    budget = _budget(context)
    for item in items:
        budget.step()
        yield item


@pass_context
def _included(context: Context, name: Any) -> Any:
    _budget(context).step()
    return name


@pass_context
def _join(context: Context, items: Iterable[Any], separator: Any = "", attribute: Any = None) -> str:
    """Of texts, numbers and what else has a text."""
    parts: list[str] = []
    if attribute is not None:
        items = map(shipped.make_attrgetter(context.environment, attribute), items)
    for item in items:
        parts.append(_string(context, item))
        _budget(context).grow(len(str(separator)) + 1)
    return str(separator).join(parts)


@pass_context
def _replace(context: Context, text: Any, old: str, new: str, count: int | None = None) -> str:
    whole, old, new = str(text), str(old), str(new)
    times = whole.count(old) if count is None or count < 0 else min(whole.count(old), count)
    _budget(context).grow(len(whole) + times * max(len(new) - len(old), 0))
    return whole.replace(old, new, times)


@pass_context
def _map(context: Context, items: Iterable[Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
    for made in shipped.sync_do_map(context, items, *args, **kwargs):
        _budget(context).step()
        if isinstance(made, str):
            _budget(context).grow(len(made))
        yield made


@pass_context
def _tojson(context: Context, value: Any) -> str:
    """As Jinja2 makes it, without its indent."""
    pieces = []
    for piece in json.JSONEncoder(sort_keys=True).iterencode(value):
        _budget(context).grow(len(piece))
        pieces.append(piece)
    return str(htmlsafe_json_dumps("".join(pieces), dumps=str))


@pass_context
def _string(context: Context, value: Any) -> str:
    _weigh(value, _budget(context))
    return str(value)


def _weigh(value: object, budget: Budget) -> None:
    """Charges a value's text before it is made: a list may hold the same long text often."""
    if isinstance(value, str):
        budget.grow(len(value))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _weigh(key, budget)
            _weigh(item, budget)
    elif isinstance(value, list | tuple):
        for item in value:
            budget.grow(1)
            _weigh(item, budget)


def named_in(environment: Environment, text: str) -> tuple[list[tuple[str, int]], dict[str, int]]:
    """The scripts that a template includes by name, and the variables that it doesn't make itself, with their lines.

    Raises TemplateSyntaxError.
    """
    tree = Environment._parse(environment, text, None, None)
    included = []
    for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        template = node.template  # type: ignore[attr-defined]
        if isinstance(template, nodes.Const) and isinstance(template.value, str):
            included.append((template.value, node.lineno))
    undeclared = meta.find_undeclared_variables(tree)
    lines: dict[str, int] = {}
    for name in tree.find_all(nodes.Name):
        if name.name in undeclared:
            lines.setdefault(name.name, name.lineno)
    return included, lines
