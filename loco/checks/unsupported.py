"""Fields that are known and that no room consumes: refused, rather than accepted and ignored."""

from loco import routing, workloads
from loco.layers import Resolved
from loco.model import Finding
from loco.spec.tree import Branch, Node, Path, Row, dotted

CONSUMED: tuple[Path, ...] = (*workloads.CONSUMED, *routing.CONSUMED)


def unsupported(resolved: Resolved) -> list[Finding]:
    """``LOCO-UNSUPPORTED`` for every field, as high up as possible, that no room consumes."""
    findings = []

    def walk(node: Node, path: Path) -> None:
        if path in CONSUMED:
            return
        if any(consumed[: len(path)] == path for consumed in CONSUMED) and isinstance(node, Branch):
            for key, item in node.items.items():
                walk(item, (*path, key))
            return
        if isinstance(node, Row) and not node.items:
            return
        message = f"{path[-1]} isn't implemented yet, and would have no effect"
        where = dotted(("spec", *path))
        cure = "the service without this field"
        findings.append(Finding("LOCO-UNSUPPORTED", "error", where, message, cure, node.origin, resolved.subject))

    walk(resolved.tree, ())
    return findings
