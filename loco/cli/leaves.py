"""A merged tree as values with paths: what ``loco explain``, ``loco diff`` and ``loco report`` go through."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loco.layers import Layered, Resolved, layer
from loco.plan import Plan
from loco.spec import SERVICE, Document, StackSpec
from loco.spec.document import SPEC_OF
from loco.spec.tree import Branch, Leaf, Node, child, dotted, plain


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a merged tree.

    Attributes:
        path: as ``loco explain`` takes it: ``spec.template.containers[main].image``.
        node: a scalar, an empty mapping or list, or a list that replaced another as a whole.
    """

    path: str
    node: Node

    def as_dict(self) -> dict[str, object]:
        """The form that ``loco explain -o json`` prints; ``overrode`` from the highest layer to the lowest."""
        below = [stated(node) for node in overrode(self.node)]
        return {"path": self.path, **stated(self.node), "expanded": is_expanded(self.node), "overrode": below}


def merged_tree(document: Document, stack: StackSpec, plan: Plan) -> Branch | None:
    """``spec`` and ``metadata`` of a document after layering, each node with its origin and what it overrode.

    Args:
        document: of the kinds that have layers; an override may switch it off, which is not looked at.
        plan: that of the stack. None where an error stands in the way of merging, which is then among its findings.
    """
    found: Resolved | Layered[Any] | None
    if document.kind == SERVICE:
        found = next((service for service in plan.resolved if service.subject == document.subject), None)
    else:
        found, _ = layer(document, stack, SPEC_OF[document.kind])
    return Branch({"spec": found.tree, "metadata": found.metadata}, found.origin) if found is not None else None


def entries(node: Node, path: str = "") -> Iterator[Entry]:
    """Every value at or below a node, in document order."""
    if is_value(node) or overrode(node):
        yield Entry(path, node)
    for step, item in members(node):
        yield from entries(item, path + (step if path else step.removeprefix(".")))


def members(node: Node) -> list[tuple[str, Node]]:
    """What stands under a node, each with the step of a path that leads there: ``.key``, ``["a.b"]``, ``[name]``."""
    if isinstance(node, Branch):
        return [(dotted(("x", key))[1:], item) for key, item in node.items.items()]
    if isinstance(node, Leaf):
        return []
    names = [_name_of(item) for item in node.items]
    return [
        (f"[{name if name and names.count(name) == 1 else index}]", item)
        for index, (name, item) in enumerate(zip(names, node.items, strict=True))
    ]


def is_value(node: Node) -> bool:
    """Whether nothing stands below it: a scalar, an empty mapping, an empty list."""
    return isinstance(node, Leaf) or not node.items


def overrode(node: Node) -> list[Node]:
    """What a node took the place of, from the highest layer to the lowest; an expanded one first of its template."""
    chain: list[Node] = []
    while not isinstance(node, Branch) and node.overrode is not None:
        node = node.overrode
        chain.append(node)
    return chain


def is_expanded(node: Node) -> bool:
    """Whether the merge's own value was a template: it has the place of the text that it was."""
    template = node.overrode if isinstance(node, Leaf) else None
    is_text = isinstance(template, Leaf) and isinstance(template.value, str) and "{" in template.value
    return is_text and template is not None and template.origin is node.origin


def stated(node: Node) -> dict[str, object]:
    """Value, layer, file and line, as JSON output has them."""
    return {"value": plain(node), **node.origin.as_dict()}


def _name_of(item: Node) -> str | None:
    """The name of a list's item, where no index looks like it and a path can hold it."""
    name = child(item, "name")
    text = name.value if isinstance(name, Leaf) else None
    return text if isinstance(text, str) and text and not text.isdigit() and not set(text) & set('[]"') else None
