"""A comparison as text: the first stack's values behind a minus, the second's behind a plus, each with its place."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from loco.cli.diff.comparison import Comparison
from loco.cli.diff.documents import Pair
from loco.cli.diff.shown import shown
from loco.cli.diff.trees import Difference
from loco.cli.leaves import is_expanded
from loco.cli.value_text import as_json_line
from loco.model.finding import HIDDEN
from loco.model.origin import DERIVED
from loco.spec.tree import Node, plain

_WIDEST = 48


def as_text(found: Comparison, derived: bool = False) -> Iterator[str]:
    """Lines, the last of which says how much differs. What follows from other differences is counted, or listed."""
    yield f"--- {found.names[0]}"
    yield f"+++ {found.names[1]}"
    if found.config:
        yield from ("", "stack config")
        for difference in found.config:
            yield from _lines(difference, found.names)
    for pair in found.documents:
        yield from ("", _head(pair))
        for difference in pair.differences:
            if derived or not difference.derived:
                yield from _lines(difference, found.names)
        if not derived and (following := sum(each.derived for each in pair.differences)):
            yield f"  {following} more from templates that are the same in both (--derived lists them)"
    yield ""
    yield f"{found.count} difference{'' if found.count == 1 else 's'}" if found.count else "no differences"


def _head(pair: Pair) -> str:
    only = f": only in {pair.only_in}" if pair.only_in else ""
    why = f"; {pair.why}" if only else f": {pair.why}" if pair.why else ""
    return f"{pair.called}{only}{why}" + (f" at {pair.origin}" if pair.origin else "")


def _lines(difference: Difference, names: tuple[str, str]) -> Iterator[str]:
    """A path, and below it what each stack has there."""
    yield f"  {difference.path}{' (order)' if difference.order else ''}"
    nodes = (difference.first, difference.second)
    if difference.order is not None:
        texts: list[str | None] = [", ".join(order) for order in difference.order]
        yield from _two(texts, nodes)
        return
    values = [None if node is None else shown(plain(node), difference.path) for node in nodes]
    if difference.same:
        places = (f"{name}: {_place(node)}" for name, node in zip(names, nodes, strict=True) if node is not None)
        yield from _columns([(f"= {_short(values[0])}", "; ".join(places))])
        return
    if None not in nodes and (parts := _parts(*values)):
        yield from _two([_counted(part) for part in parts], nodes)
        yield from (f"        {line[0]} {line[1:]}" for line in _changed(*parts))
        return
    yield from _two([None if node is None else _short(value) for node, value in zip(nodes, values, strict=True)], nodes)


def _two(texts: Sequence[str | None], nodes: Sequence[Node | None]) -> Iterator[str]:
    """The first stack's behind a minus, the second's behind a plus."""
    rows = zip("-+", texts, nodes, strict=True)
    yield from _columns([(f"{sign} {text}", _place(node)) for sign, text, node in rows if node is not None])


def _changed(first: list[str], second: list[str]) -> list[str]:
    """The lines that differ. What many lines have in common isn't worth repeating."""
    lines = list(difflib.unified_diff(first, second, n=0, lineterm=""))[2:]
    return [line for line in lines if not line.startswith("@@")] or [f" {HIDDEN}"]


def _parts(first: Any, second: Any) -> list[list[str]] | None:
    """Lines of two texts, or items of two lists, each as one line; None for values that are short enough as they are."""
    if isinstance(first, str) and isinstance(second, str) and max(len(v.splitlines()) for v in (first, second)) > 1:
        return [_as_lines([text]) for text in (first, second)]
    if isinstance(first, list) and isinstance(second, list) and max(len(_short(v)) for v in (first, second)) > _WIDEST:
        return [_as_lines(items) for items in (first, second)]
    return None


def _as_lines(items: list[Any]) -> list[str]:
    """Each item as one line; of a text of many lines, each of them."""
    lines = [item.splitlines() if isinstance(item, str) and len(item.splitlines()) > 1 else item for item in items]
    return [
        line
        for item in lines
        for line in ([as_json_line(text)[1:-1] for text in item] if isinstance(item, list) else [as_json_line(item)])
    ]


def _counted(part: list[str]) -> str:
    return f"{len(part)} line{'' if len(part) == 1 else 's'}"


def _short(value: Any) -> str:
    """On one line: of a text of many lines the first."""
    lines = value.splitlines() if isinstance(value, str) else []
    return as_json_line(value) if len(lines) < 2 else f"{as_json_line(lines[0])} … {len(lines)} lines"


def _place(node: Node) -> str:
    if node.origin == DERIVED:
        return "by default"
    return f"{node.origin}; expanded from a template" if is_expanded(node) else str(node.origin)


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    width = min(_WIDEST, max(len(text) for text, _ in rows))
    yield from (f"    {text:<{width}}  {place}" for text, place in rows)
