"""Which fields of a spec the manifests follow from; whatever else is written is refused rather than ignored."""

from loco.layers import Resolved
from loco.model import Finding
from loco.spec.tree import Branch, Node, Path, Row, dotted

# A path stands for all that lies below it. tests/workloads/test_consumed.py changes a value at each of them and looks
# for a manifest that changes with it.
CONSUMED: tuple[Path, ...] = (
    ("annotations",),
    ("baseRefs",),
    ("labels",),
    ("model", "name"),
    ("model", "uri"),
    ("parallelism", "tensor"),
    ("replicas",),
    ("rolloutStrategy",),
    ("storageInitializer",),
    ("template",),
)


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
