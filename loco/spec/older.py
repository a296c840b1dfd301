"""Fields of ``serving.kserve.io/v1alpha1`` that v1alpha2 spells otherwise or no longer has, and what to write instead.

All other fields mean the same in both, so documents of either version are read by one model. The pool of v1alpha1 is
InferencePool's of ``inference.networking.x-k8s.io/v1alpha2``, that of v1alpha2 ``inference.networking.k8s.io/v1``.
"""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, dotted, plain

_POOL: Path = ("router", "scheduler", "pool", "spec")
_ADAPTERS: Path = ("model", "lora", "adapters")
_REFERENCE = ("group", "kind", "name", "portNumber", "failureMode")


def older_fields(spec: Node, subject: str, root: Node, path: Path = ("spec",)) -> list[Finding]:
    """An error for each such field of one document's or layer's spec, which stands at ``path`` of ``root``."""
    return [
        Finding(
            "LOCO-UNKNOWN-KEY", "error", dotted((*path, *where), root), message, cure, node.origin, subject, plain(node)
        )
        for where, node, message, cure in (*_criticality(spec), *_pool(spec))
    ]


def _criticality(spec: Node) -> Iterator[tuple[Path, Node, str, str]]:
    adapters = at(spec, _ADAPTERS)
    places: list[Path] = [("model",)]
    places += [(*_ADAPTERS, index) for index in range(len(adapters.items) if isinstance(adapters, Row) else 0)]
    for place in places:
        where = (*place, "criticality")
        if (node := at(spec, where)) is not None:
            message = "v1alpha1's criticality has no successor in v1alpha2, and nothing reads it"
            yield where, node, message, "the model without it; priorities belong into the scheduler's config"


def _pool(spec: Node) -> Iterator[tuple[Path, Node, str, str]]:
    if (port := at(spec, (*_POOL, "targetPortNumber"))) is not None:
        cure = f"targetPorts: [{{number: {_text(port)}}}]"
        yield (*_POOL, "targetPortNumber"), port, "v1alpha2 has a list of ports", cure
    if (reference := at(spec, (*_POOL, "extensionRef"))) is not None:
        cure = f"endpointPickerRef: {_picker(reference)}"
        yield (*_POOL, "extensionRef"), reference, "v1alpha2 calls the endpoint picker endpointPickerRef", cure
    selector = at(spec, (*_POOL, "selector"))
    if isinstance(selector, Branch):
        labels = {key: item for key, item in selector.items.items() if isinstance(item, Leaf) and key[:1] != "$"}
        if labels:
            listed = ", ".join(f"{key}: {_text(item)}" for key, item in labels.items())
            message = "v1alpha2 selects pods by matchLabels"
            yield (*_POOL, "selector"), selector, message, f"selector: {{matchLabels: {{{listed}}}}}"


def _picker(reference: Node) -> str:
    members = reference.items if isinstance(reference, Branch) else {}
    parts = []
    for key in _REFERENCE:
        if (node := members.get(key)) is not None:
            value = _text(node) or '""'
            parts.append(f"port: {{number: {value}}}" if key == "portNumber" else f"{key}: {value}")
    kind = members.get("kind")
    if parts and "portNumber" not in members and (kind is None or _text(kind) == "Service"):
        parts.append("port: {number: 9002}")  # v1alpha2's default, which v1 wants to see written
    return f"{{{', '.join(parts) or 'name: …, port: {number: 9002}'}}}"


def _text(node: Node) -> str:
    return str(node.value) if isinstance(node, Leaf) else "…"
