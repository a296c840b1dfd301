"""The documents of two stacks, paired, and what differs between the two of a pair after merging."""

from collections.abc import Iterator
from dataclasses import dataclass

from loco.cli.diff.trees import NOWHERE, Difference, differences
from loco.cli.leaves import merged_tree
from loco.layers import enabled
from loco.layers.places import SPEC, Place
from loco.layers.resolve import overrides_of
from loco.model import Origin, errors_of
from loco.plan import Plan
from loco.spec import BASE_CONFIG, SERVICE, Document, StackSpec
from loco.spec.document import COMPANION_KINDS
from loco.spec.tree import Branch, Leaf, at, text_of

_IDENTITY = ("apiVersion", "kind")
_Key = tuple[str, str, str]  # kind, the namespace that the document writes, name


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two stacks.

    Attributes:
        name: the stack's.
        plan: of the whole stack, errors and all.
    """

    name: str
    stack: StackSpec
    plan: Plan


@dataclass(frozen=True, slots=True)
class Pair:
    """One document in both stacks.

    Attributes:
        called: ``Kind/name``, with the namespace between where the document names one.
        only_in: the name of the stack that has it, where the other hasn't.
        why: of ``only_in``, or of why the two can't be compared; empty where they could.
        origin: what switches it off in the other stack.
    """

    called: str
    differences: tuple[Difference, ...] = ()
    only_in: str | None = None
    why: str = ""
    origin: Origin | None = None


def compare_documents(first: Side, second: Side, origins: bool = False) -> list[Pair]:
    """Every document that differs, by kind, namespace and name; those that are alike are left out.

    Two documents are the same one if they have one name and write one namespace, or both write none: whose files are
    shared, they may stand in another namespace in each stack. Base configs are seen in the services that refer to them.
    """
    return [pair for pair in _pairs(first, second, origins) if pair.differences or pair.why]


def _pairs(first: Side, second: Side, origins: bool) -> Iterator[Pair]:
    one, other = _by_key(first), _by_key(second)
    _join_moved(one, other)
    for key in sorted({*one, *other}):
        called = "/".join(part for part in key if part)
        left, right = one.get(key), other.get(key)
        on_left, on_right = _is_on(left, first), _is_on(right, second)
        if left is not None and right is not None and on_left and on_right:
            yield _compared(called, left, right, first, second, origins)
        elif on_left or on_right:
            here, there, absent = (first, second, right) if on_left else (second, first, left)
            why, origin = _absence(absent, there)
            yield Pair(called, only_in=here.name, why=why, origin=origin)
    for key in sorted((_unread(first) | _unread(second)) - one.keys() - other.keys()):
        faulty = " and ".join(side.name for side in (first, second) if key in _unread(side))
        yield Pair("/".join(part for part in key if part), why=f"not compared: in {faulty} an error stands in the way")


def _by_key(side: Side) -> dict[_Key, Document]:
    documents = (document for document in side.stack.documents if document.kind != BASE_CONFIG)
    return {(document.kind, _own_namespace(document, side), document.name): document for document in documents}


def _unread(side: Side) -> set[_Key]:
    """Documents with errors for which reading left them out: what the errors are about, and no document is."""
    read = {document.subject for document in side.stack.documents}
    subjects = {finding.subject for finding in errors_of(side.stack.findings) if finding.subject} - read
    own = side.stack.config.namespace
    named = (parts for parts in (subject.split("/") for subject in subjects) if len(parts) == 3)
    return {(kind, "" if namespace == own else namespace, name) for kind, namespace, name in named}


def _own_namespace(document: Document, side: Side) -> str:
    """The one that the document writes; into those without layers reading has written the stack's."""
    place = text_of(at(document.tree, ("metadata", "namespace"))) or ""
    filled = document.kind in COMPANION_KINDS and place == side.stack.config.namespace
    return "" if filled else place


def _join_moved(one: dict[_Key, Document], other: dict[_Key, Document]) -> None:
    """Gives one key to a document that only one of each stack's can be, though it writes another namespace there."""
    apart = (one.keys() - other.keys(), other.keys() - one.keys())
    for called in {(kind, name) for kind, _, name in (*apart[0], *apart[1])}:
        left, right = ([key for key in keys if (key[0], key[2]) == called] for keys in apart)
        if len(left) == len(right) == 1:
            other[left[0]] = other.pop(right[0])


def _is_on(document: Document | None, side: Side) -> bool:
    return document is not None and enabled(document, side.stack)


def _absence(document: Document | None, side: Side) -> tuple[str, Origin | None]:
    if document is not None:
        switches = (at(override.tree, ("enabled",)) for override in overrides_of(document, side.stack))
        switch = next(node for node in switches if isinstance(node, Leaf) and node.value is False)
        return f"{side.name} switches it off", switch.origin
    if not side.stack.complete:
        return f"not among the documents of {side.name} that could be read", None
    return f"not in the files of {side.name}", None


def _compared(called: str, left: Document, right: Document, first: Side, second: Side, origins: bool) -> Pair:
    trees = [_tree(document, side) for document, side in ((left, first), (right, second))]
    one, other = trees
    if one is None or other is None:
        faulty = " and ".join(side.name for tree, side in zip(trees, (first, second), strict=True) if tree is None)
        return Pair(called, why=f"not compared: in {faulty} an error stands in the way")
    found: list[Difference] = []
    for key in dict.fromkeys((*one.items, *other.items)):
        empty = Branch({}, left.origin)
        place = _place(left, key)
        found += differences(one.items.get(key, empty), other.items.get(key, empty), key, place, origins)
    if (moved := _moved(left, right, first, second)) is not None:
        found.insert(0, moved)
    return Pair(called, tuple(found))


def _tree(document: Document, side: Side) -> Branch | None:
    """What is compared of a document: spec and metadata after merging; of one without layers all that it holds."""
    if document.kind not in COMPANION_KINDS:
        return merged_tree(document, side.stack, side.plan)
    metadata = document.tree.items.get("metadata")
    kept = {key: item for key, item in document.tree.items.items() if key not in _IDENTITY}
    if isinstance(metadata, Branch):
        own = {key: item for key, item in metadata.items.items() if key not in ("name", "namespace")}
        kept["metadata"] = Branch(own, metadata.origin)
    return Branch(kept, document.origin)


def _place(document: Document, key: str) -> Place:
    if key != "spec" or document.kind in COMPANION_KINDS:
        return NOWHERE
    return SPEC if document.kind == SERVICE else Place((document.kind,))


def _moved(left: Document, right: Document, first: Side, second: Side) -> Difference | None:
    """Another namespace that the stacks' own don't account for."""
    own = [side.stack.config.namespace for side in (first, second)]
    if left.namespace == right.namespace or [left.namespace, right.namespace] == own:
        return None
    nodes = [at(document.tree, ("metadata", "namespace")) for document in (left, right)]
    one, other = (
        node if node is not None else Leaf(document.namespace, Origin("config"))
        for node, document in zip(nodes, (left, right), strict=True)
    )
    return Difference("metadata.namespace", one, other)
