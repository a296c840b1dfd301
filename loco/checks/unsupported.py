"""Fields that are known and that no room consumes: refused, rather than accepted and ignored."""

from collections.abc import Collection
from typing import Protocol

from loco import gateway, routing, workloads
from loco.model import Finding
from loco.spec import EXTERNAL_MODEL, GATEWAY, OBSERVABILITY, SERVICE
from loco.spec.document import Kind
from loco.spec.tree import Branch, Node, Path, Row, dotted

CONSUMED: tuple[Path, ...] = (*workloads.CONSUMED, *routing.CONSUMED)
CONSUMED_OF: dict[Kind, tuple[Path, ...]] = {
    SERVICE: CONSUMED,
    EXTERNAL_MODEL: gateway.CONSUMED[EXTERNAL_MODEL],
    GATEWAY: gateway.CONSUMED[GATEWAY],
    OBSERVABILITY: gateway.CONSUMED[OBSERVABILITY],
}


class Specified(Protocol):
    """A document after layering."""

    @property
    def tree(self) -> Branch: ...
    @property
    def subject(self) -> str: ...


def unsupported(document: Specified, consumed: Collection[Path] = CONSUMED) -> list[Finding]:
    """``LOCO-UNSUPPORTED`` for every field of the spec, as high up as possible, that no room consumes."""
    findings = []
    kind = document.subject.partition("/")[0]

    def walk(node: Node, path: Path) -> None:
        if path in consumed:
            return
        if any(known[: len(path)] == path for known in consumed) and isinstance(node, Branch):
            for key, item in node.items.items():
                walk(item, (*path, key))
            return
        if isinstance(node, Row) and not node.items:
            return
        message = f"{path[-1]} isn't implemented yet, and would have no effect"
        where = dotted(("spec", *path))
        cure = f"the {kind} without this field"
        findings.append(Finding("LOCO-UNSUPPORTED", "error", where, message, cure, node.origin, document.subject))

    walk(document.tree, ())
    return findings
