"""What the files say otherwise than those of the base: of each document after merging, and of the stack's config."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from loco.cli.diff.comparison import compare
from loco.cli.diff.documents import Pair, Side
from loco.cli.diff.trees import Difference
from loco.cli.report.cause import SHIPPED, Cause, cause_between, value_text
from loco.layers import enabled
from loco.model import Origin
from loco.model.origin import DERIVED
from loco.spec.document import LAYERED
from loco.spec.tree import Node, plain

_MANY = 4


@dataclass(frozen=True, slots=True)
class Written:
    """Values that differ, by the document's subject; nothing where there is no base."""

    values: Mapping[str, tuple[Cause, ...]] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    config: tuple[Cause, ...] = ()

    @property
    def subjects(self) -> set[str]:
        """Every document that differs."""
        return {*self.values, *self.added, *self.deleted}

    def of(self, subject: str) -> tuple[Cause, ...]:
        """The values of one document."""
        return self.values.get(subject, ())


def all_new(now: Side) -> Written:
    """Of a stack that the base doesn't have."""
    documents = (document for document in now.stack.documents if document.kind in LAYERED)
    return Written(added=frozenset(each.subject for each in documents if enabled(each, now.stack)))


def written_between(then: Side, now: Side) -> Written:
    """Compares the base's files with the ones that are there."""
    found = compare(then, now)
    values: dict[str, tuple[Cause, ...]] = {}
    added, deleted = set(), set()
    for pair in found.documents:
        if pair.called.partition("/")[0] not in LAYERED:
            continue
        if pair.only_in == now.name:
            added.add(_subject(pair, now))
        elif pair.only_in is not None:
            deleted.add(_subject(pair, then))
        elif own := [each for each in pair.differences if _by_users(each)]:
            values[_subject(pair, now)] = tuple(_grouped([_cause(each) for each in own]))
    return Written(values, frozenset(added), frozenset(deleted), tuple(_cause(each) for each in found.config))


def _subject(pair: Pair, side: Side) -> str:
    kind, *rest = pair.called.split("/")
    for document in side.stack.documents:
        if (document.kind, document.name) == (kind, rest[-1]) and (len(rest) == 1 or document.namespace == rest[0]):
            return document.subject
    return pair.called


def _by_users(each: Difference) -> bool:
    """Whether it is written in the project's files on either side, and doesn't only follow from another preset."""
    return any(node is not None and not node.origin.layer.startswith(SHIPPED) for node in (each.first, each.second))


def _grouped(causes: list[Cause]) -> Iterator[Cause]:
    """Many values that are new, or gone, below one field as one."""
    groups: dict[tuple[str, bool], list[Cause]] = {}
    for cause in causes:
        if cause.old is None or cause.new is None:
            groups.setdefault((_field(cause.what), cause.old is None), []).append(cause)
    for cause in causes:
        group = groups.get((_field(cause.what), cause.old is None), [cause])
        if cause not in group or len(group) < _MANY:
            yield cause
        elif cause is group[0]:
            first = min(group, key=lambda each: (each.origin or each.old_origin or DERIVED).line or 0)
            verb = "added" if cause.old is None else "removed"
            yield Cause(
                f"{_field(cause.what)} ({len(group)} values {verb})", None, None, first.origin, first.old_origin
            )


def _field(path: str) -> str:
    """The field of the spec that a path leads into."""
    return ".".join(path.split("[")[0].split(".")[:2])


def _cause(each: Difference) -> Cause:
    if each.order is not None:
        old, new = (", ".join(names) for names in each.order)
        return Cause(f"order of {each.path}", old, new, _origin(each.second), _origin(each.first))
    texts = (None if node is None else value_text(plain(node), each.path) for node in (each.first, each.second))
    return cause_between(each.path, texts, (_origin(each.second), _origin(each.first)))


def _origin(node: Node | None) -> Origin | None:
    return node.origin if node is not None and node.origin != DERIVED else None
