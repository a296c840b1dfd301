"""KServe's template expressions in services and base configs, expanded over the merged spec before the presets are.

Every scalar is a template of its own; mappings' keys and metadata are none. What a value brings in is never expanded
again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from loco import names
from loco.layers.go_check import problems_of
from loco.layers.go_expression import ALLOWED, Choice, Insert, Part, Unread, is_config, is_template, read_template
from loco.layers.go_values import Unusable, evaluate, printed
from loco.model import Finding, Origin, errors_of
from loco.model.origin import DERIVED
from loco.spec import BASE_CONFIG, Document, StackSpec
from loco.spec.presets import PRESET_NAMES, without_prefix
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, dotted, leaves, plant, scalars

_LONGEST = 1_000_000  # characters of one expanded text; an object of Kubernetes holds no more


@dataclass(frozen=True, slots=True)
class Service:
    """What expressions may name of a service beside its spec.

    Attributes:
        metadata: labels and annotations, merged.
        tls: whether engines serve HTTPS.
        gateway: name and namespace of the Gateway for routes, empty where there is none.
    """

    name: str
    namespace: str
    subject: str
    metadata: Branch
    tls: bool
    gateway: Mapping[str, str | None]


def expand_expressions(spec: Node, service: Service) -> tuple[Node, list[Finding]]:
    """A merged spec with the expressions of services and base configs expanded, and findings of what can't be.

    An expanded leaf keeps its origin, and its template as what it overrode. A spec without expressions comes back as
    it is.
    """
    if not any(map(_is_candidate, scalars(spec))):
        return spec, []
    named = _named(spec, service)
    rooted = Branch({"spec": spec}, spec.origin)
    findings: list[Finding] = []

    def walk(node: Node, path: Path) -> Node:
        if isinstance(node, Branch):
            return Branch({key: walk(item, (*path, key)) for key, item in node.items.items()}, node.origin)
        if isinstance(node, Row):
            items = tuple(walk(item, (*path, index)) for index, item in enumerate(node.items))
            return Row(items, node.origin, node.overrode)
        if not _is_candidate(node):
            return node
        parts = read_template(str(node.value), is_config(node.origin.layer))
        faults = [*_faults(parts, node.origin)]
        text = node.value
        if not errors_of(faults):
            text = _Expansion(named, node.origin, faults).of(parts)
        subject = _subject(node.origin, service)
        findings.extend(replace(fault, path=dotted(path, rooted), subject=subject) for fault in faults)
        return node if errors_of(faults) or text == node.value else Leaf(text, node.origin, node)

    return walk(spec, ("spec",)), findings


def check_expressions(stack: StackSpec) -> list[Finding]:
    """What is wrong with the expressions of base configs whatever the service, whether one uses them or not."""
    return [
        finding for document in stack.documents if document.kind == BASE_CONFIG for finding in _check_document(document)
    ]


def _check_document(document: Document) -> Iterator[Finding]:
    is_preset = without_prefix(document.name).startswith(PRESET_NAMES)
    layer = f"{'config' if is_preset else 'baseRef'}:{document.name}"  # as the merge calls it: then it is said once
    for path, leaf in leaves(document.spec, ("spec",)):
        if isinstance(leaf, Leaf) and isinstance(leaf.value, str) and "{{" in leaf.value:
            origin = replace(leaf.origin, layer=layer)
            for fault in _faults(read_template(leaf.value, strict=True), origin):
                yield replace(fault, path=dotted(path, document.tree), subject=document.subject)


def _is_candidate(node: Node) -> bool:
    text = node.value if isinstance(node, Leaf) else None
    return isinstance(text, str) and "{{" in text and not node.origin.layer.startswith("preset:")


def _subject(origin: Origin, service: Service) -> str:
    """The document that an expression stands in, so that a config that ten services use is wrong once."""
    layer, _, name = origin.layer.partition(":")
    return f"{BASE_CONFIG}/{service.namespace}/{name}" if is_config(f"{layer}:") else service.subject


def _named(spec: Node, service: Service) -> Branch:
    """The tree that expressions name. A model without a name is called like its service."""
    meta = plant({"name": service.name, "namespace": service.namespace}, DERIVED)
    config = plant(_global_config(spec, service), DERIVED)
    assert isinstance(meta, Branch)
    assert isinstance(spec, Branch)
    model = spec.items.get("model")
    if at(model, ("name",)) is None:
        fields = model.items if isinstance(model, Branch) else {}
        spec = Branch(
            {**spec.items, "model": Branch({**fields, "name": Leaf(service.name, DERIVED)}, DERIVED)}, DERIVED
        )
    meta = Branch({**meta.items, **service.metadata.items}, DERIVED)
    return Branch({"ObjectMeta": meta, "Spec": spec, "GlobalConfig": config}, DERIVED)


def _global_config(spec: Node, service: Service) -> dict[str, Any]:
    """KServe's global configuration as far as loco has it: no KServe runs, so there is no system namespace."""
    referred = at(spec, ("router", "scheduler", "pool", "ref", "name"))
    pool = names.inference_pool(service.name)
    if isinstance(referred, Leaf) and not is_template(referred):
        pool = str(referred.value)
    gateway = service.gateway.get("name") or None
    return {
        "SystemNamespace": None,
        "IngressGatewayName": gateway,
        "IngressGatewayNamespace": (service.gateway.get("namespace") or service.namespace) if gateway else None,
        "EnableTLS": service.tls,
        "ModelBasedRoutingHeaderName": names.ROUTING_HEADER,
        "InferencePoolNamespacedName": f"{service.namespace}/{pool}",
    }


def _faults(parts: tuple[Part, ...], origin: Origin) -> Iterator[Finding]:
    """What is wrong with a text whatever the service. Path and subject are the caller's."""
    for part in parts:
        if isinstance(part, Unread):
            yield _unread(part, origin)
        elif isinstance(part, Insert):
            for message, cure in problems_of(part.expression):
                yield _fault(part.source, message, cure, origin)
        elif isinstance(part, Choice):
            for condition, below in part.branches:
                yield from _faults((condition, *below), origin)
            yield from _faults(part.otherwise, origin)


def _unread(part: Unread, origin: Origin) -> Finding:
    if is_config(origin.layer):
        return _fault(part.source, f"this expression can't be read: {part.reason}", ALLOWED, origin)
    message = f"this looks like an expression of KServe's, and stays as it is: {part.reason}"
    return replace(
        _fault(part.source, message, f"nothing, if it is meant as text; else {ALLOWED}", origin), severity="warning"
    )


def _fault(source: str, message: str, cure: str, origin: Origin) -> Finding:
    return Finding("LOCO-TEMPLATE", "error", "", message, cure, origin, None, source)


class _Expansion:
    """One text in the making; its faults go to a list."""

    def __init__(self, named: Node, origin: Origin, faults: list[Finding]) -> None:
        self.named, self.origin, self.faults = named, origin, faults
        self.room = _LONGEST

    def of(self, parts: tuple[Part, ...]) -> str:
        return "".join(self._part(part) for part in parts)

    def _part(self, part: Part) -> str:
        if isinstance(part, Insert):
            return self._inserted(part)
        return self._chosen(part) if isinstance(part, Choice) else part.text

    def _inserted(self, part: Insert) -> str:
        if self.room < 0:  # said already
            return ""
        try:
            text = printed(part.expression, self.named)
            self.room -= len(text)
            if self.room < 0:
                raise Unusable(f"the text grows by more than {_LONGEST} characters", "a shorter value")
        except Unusable as error:
            return self._refused(part, error)
        return text

    def _chosen(self, part: Choice) -> str:
        for condition, below in part.branches:
            try:
                holds = evaluate(condition.expression, self.named).holds
            except Unusable as error:
                return self._refused(condition, error)
            if holds:
                return self.of(below)
        return self.of(part.otherwise)

    def _refused(self, part: Insert, error: Unusable) -> str:
        self.faults.append(_fault(part.source, error.message, error.cure, self.origin))
        return ""
