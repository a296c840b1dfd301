"""What a rule sees of a service, and how it says what is wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loco.model import Finding, Origin
from loco.model.finding import Severity
from loco.spec.service import LLMInferenceServiceSpec, Workload
from loco.spec.tree import Branch, Leaf, Node, Path, Row, child, dotted, plain

# Layers that nobody who reads a finding has written, and so none to point at.
_OWN_LAYERS = ("profile:", "preset:", "loco")


@dataclass(frozen=True, slots=True)
class Judged:
    """A service after merging.

    Attributes:
        name: the service's own, which its model has where none is written.
        subject: ``Kind/namespace/name``, for messages.
        origin: the service's document.
        spec: the merged spec, typed.
        tree: ``spec`` and ``metadata`` (labels and annotations), merged; every leaf knows where it was written.
    """

    name: str
    subject: str
    origin: Origin
    spec: LLMInferenceServiceSpec
    tree: Branch

    def at(self, *path: str | int) -> Node | None:
        """What stands at a path of the spec."""
        return _down(self.tree, ("spec", *path))

    def by_user(self, *path: str | int) -> bool:
        """Whether the value at a path of the spec is there, and none of a preset's or profile's own."""
        node = self.at(*path)
        return node is not None and not node.origin.layer.startswith(_OWN_LAYERS)

    def finding(
        self,
        path: Path,
        message: str,
        cure: str,
        *,
        code: str = "LOCO-VALUE",
        severity: Severity = "error",
        fault: Path | None = None,
        named: bool = False,
    ) -> Finding:
        """A finding about ``path`` of the document, which begins with ``spec`` or ``metadata``.

        Args:
            fault: where the value stands that is at fault; by default at ``path``. What isn't there is looked for in
                the mapping that should hold it.
            named: whether items of lists are called by their names, as those of pods are.
        """
        origin = self.origin
        node: Node | None = self.tree
        for key in path if fault is None else fault:
            node = child(node, key)
            if node is None:
                break
            if not node.origin.layer.startswith(_OWN_LAYERS):
                origin = node.origin
        value = _shown(_down(self.tree, path))
        where = dotted(path, self.tree if named else None)
        return Finding(code, severity, where, message, cure, origin, self.subject, value)


def sides(judged: Judged) -> Iterator[tuple[Path, Workload]]:
    """The main workload, then prefill, each with the path of its fields in the document."""
    yield ("spec",), judged.spec
    if judged.spec.prefill is not None:
        yield ("spec", "prefill"), judged.spec.prefill


def _down(node: Node | None, path: Path) -> Node | None:
    for key in path:
        node = child(node, key)
    return node


def _shown(node: Node | None) -> Any:
    """The value for a message: a scalar, or a mapping or list of scalars. What is larger says less than its path."""
    if node is None or isinstance(node, Leaf):
        return node.value if node is not None else None
    items = node.items if isinstance(node, Row) else tuple(node.items.values())
    return plain(node) if all(isinstance(item, Leaf) for item in items) else None
