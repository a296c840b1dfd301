"""A stack's config as a tree of what holds: also what nobody wrote, and the names of its secrets."""

from typing import Any

from loco.model import Origin
from loco.model.origin import DERIVED
from loco.spec import StackSpec
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, nearest, plant

IN_DOCUMENTS = ("defaults", "overrides")  # what they change is seen in the documents
SECRET = "(secret)"


def config_in_effect(stack: StackSpec) -> Branch:
    """The config with its defaults. A value that nobody wrote has loco's own origin; a secret is its name alone."""
    values = stack.config.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=set(IN_DOCUMENTS))
    values["deletionProtection"] = stack.deletion_protection
    tree = plant(values, DERIVED)
    assert isinstance(tree, Branch)
    located = _located(tree, stack.config_tree, ())
    assert isinstance(located, Branch)
    here = Origin("config", stack.config_tree.origin.file)
    secrets = {name: Leaf(SECRET, here) for name in sorted(stack.secrets)}
    return Branch({**located.items, **secrets}, located.origin)


def _located(node: Node, written: Node, path: Path) -> Any:
    if isinstance(node, Branch):
        return Branch({key: _located(item, written, (*path, key)) for key, item in node.items.items()}, DERIVED)
    if isinstance(node, Row):
        items = (_located(item, written, (*path, index)) for index, item in enumerate(node.items))
        return Row(tuple(items), _origin(written, path))
    return Leaf(node.value, _origin(written, path))


def _origin(written: Node, path: Path) -> Origin:
    """Of a value; that of a short form, such as a version alone, where it is one."""
    exact, close = at(written, path), nearest(written, path)
    return exact.origin if exact is not None else close.origin if isinstance(close, Leaf) else DERIVED
