"""Members of a pod's objects that exclude each other: a layer that writes both says nothing."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec import kubernetes
from loco.spec.rules.judged import Judged
from loco.spec.tree import Branch, Leaf, Node, Path, Row
from loco.spec.validate import KUBERNETES_SHAPES


def pods(judged: Judged) -> Iterator[Finding]:
    """Of every pod of the spec: env values and their sources, volumes, probes."""
    for below, definition in KUBERNETES_SHAPES:
        yield from _within(judged, judged.at(*below), ("spec", *below), definition)


def _within(judged: Judged, node: Node | None, path: Path, definition: str) -> Iterator[Finding]:
    if isinstance(node, Row):
        for index, item in enumerate(node.items):
            yield from _within(judged, item, (*path, index), definition)
        return
    if not isinstance(node, Branch):
        return
    one_of = kubernetes.ONE_OF.get(definition, frozenset())
    rivals = sorted(key for key in node.items.keys() & one_of if not _is_nothing(node.items[key]))
    if len(rivals) > 1:
        message = f"{' and '.join(rivals)} exclude each other"
        yield judged.finding((*path, rivals[-1]), message, f"one of {', '.join(rivals)}", named=True)
    for key, item in node.items.items():
        field = kubernetes.definition(definition).get(key)
        if field is not None and field.of is not None:
            yield from _within(judged, item, (*path, key), field.of)


def _is_nothing(node: Node) -> bool:
    """An empty ``value`` beside ``valueFrom`` is none."""
    return isinstance(node, Leaf) and node.value in (None, "")
