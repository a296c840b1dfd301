"""One document of a model file: its kind, its name, and a tree that knows its lines."""

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from loco.model import Finding, Origin
from loco.spec.service import LLMInferenceServiceSpec, Spec
from loco.spec.tree import Branch, Leaf, Node, at
from loco.spec.validate import KUBERNETES_SHAPES, check_kubernetes, check_model, close_to, origin_of

Kind = Literal["LLMInferenceService", "LLMInferenceServiceConfig"]
SERVICE: Kind = "LLMInferenceService"
BASE_CONFIG: Kind = "LLMInferenceServiceConfig"

KSERVE_API = "serving.kserve.io/v1alpha2"
_API_OF = {
    SERVICE: KSERVE_API,
    BASE_CONFIG: KSERVE_API,
    "ExternalModel": "locostack.com/v1alpha1",
    "LiteLLMGateway": "locostack.com/v1alpha1",
}
_SUPPORTED = (SERVICE, BASE_CONFIG)
_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


class Metadata(Spec):
    """The part of Kubernetes' object metadata that an author writes."""

    name: str | None = None
    namespace: str | None = None
    labels: dict[str, str] | None = Field(None)
    annotations: dict[str, str] | None = Field(None)


class _Envelope(Spec):
    """A whole document; its spec is judged by kind."""

    api_version: str | None = None
    kind: str | None = None
    metadata: Metadata | None = None
    spec: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document that passed its own checks.

    Attributes:
        namespace: its own, or the stack's for a document without one.
        tree: the whole document.
    """

    kind: Kind
    namespace: str
    name: str
    tree: Branch

    @property
    def subject(self) -> str:
        """How messages call it."""
        return f"{self.kind}/{self.namespace}/{self.name}"

    @property
    def origin(self) -> Origin:
        return self.tree.origin

    @property
    def spec(self) -> Node:
        """The spec's tree; an absent one is empty."""
        return self.tree.items.get("spec", Branch({}, self.tree.origin))


def read_document(tree: Node, namespace: str | None) -> tuple[Document | None, list[Finding]]:
    """A document from its tree.

    Args:
        tree: one document of a file.
        namespace: where a document without a namespace goes; None where the stack names none.

    Returns:
        The document, None where an error was found, and all findings: unknown or misplaced keys, wrong types,
        a kind or apiVersion that loco doesn't know, a name that Kubernetes refuses.
    """
    if not isinstance(tree, Branch):
        return None, [
            Finding(
                "LOCO-TYPE",
                "error",
                "",
                "a document must be a mapping",
                "apiVersion, kind, metadata and spec",
                tree.origin,
            )
        ]
    kind, findings = _kind_of(tree)
    if kind is None:
        return None, findings
    name, place, naming = _name_of(tree, kind, namespace)
    subject = "/".join(part for part in (kind, place, name) if part)
    findings += naming
    findings += check_model(tree, _Envelope, subject=subject)
    spec = tree.items.get("spec")
    if spec is None:
        if kind == SERVICE:
            findings.append(
                Finding(
                    "LOCO-VALUE", "error", "spec", "spec is missing", "spec: {model: {uri: …}}", tree.origin, subject
                )
            )
    elif isinstance(spec, Branch):
        findings += check_spec(spec, subject, tree)
        if kind == BASE_CONFIG and (refs := spec.items.get("baseRefs")) is not None:
            message = "a base config can't refer to other base configs"
            findings.append(
                Finding(
                    "LOCO-VALUE", "error", "spec.baseRefs", message, "the list in the service", refs.origin, subject
                )
            )
    if any(finding.severity == "error" for finding in findings) or name is None or place is None:
        return None, findings
    return Document(kind, place, name, tree), findings


def check_spec(spec: Node, subject: str, root: Node, path: tuple[str, ...] = ("spec",)) -> list[Finding]:
    """Findings of a spec that is one layer among several, and so may leave out what it must have in the end."""
    findings = check_model(spec, LLMInferenceServiceSpec, path=path, subject=subject, root=root)
    for below, definition in KUBERNETES_SHAPES:
        if isinstance(part := at(spec, below), Branch):
            findings += check_kubernetes(part, definition, path=(*path, *below), subject=subject, root=root)
    return findings


def _kind_of(tree: Branch) -> tuple[Kind | None, list[Finding]]:
    kind, version = _text(tree, ("kind",)), _text(tree, ("apiVersion",))
    origin = origin_of(tree.items.get("kind"), tree.origin)
    known = ", ".join(_API_OF)
    if kind is None:
        return None, [Finding("LOCO-KIND", "error", "kind", "the document has no kind", f"one of {known}", origin)]
    if kind not in _API_OF:
        cure = close_to(kind, _API_OF) or f"one of {known}; other objects belong to another project"
        return None, [Finding("LOCO-KIND", "error", "kind", f"loco knows no kind {kind}", cure, origin, value=kind)]
    if version != _API_OF[kind]:
        origin = origin_of(tree.items.get("apiVersion"), tree.origin)
        message = f"{kind} is read as {_API_OF[kind]}"
        return None, [
            Finding("LOCO-KIND", "error", "apiVersion", message, f"apiVersion: {_API_OF[kind]}", origin, value=version)
        ]
    for supported in _SUPPORTED:
        if kind == supported:
            return supported, []
    message = f"{kind} isn't implemented yet"
    return None, [
        Finding("LOCO-UNSUPPORTED", "error", "kind", message, "the stack without this document", origin, value=kind)
    ]


def _name_of(tree: Branch, kind: str, namespace: str | None) -> tuple[str | None, str | None, list[Finding]]:
    findings = []
    name = _text(tree, ("metadata", "name"))
    place = _text(tree, ("metadata", "namespace")) or namespace
    here = origin_of(tree.items.get("metadata"), tree.origin)
    if name is None:
        if not isinstance(at(tree, ("metadata", "name")), Leaf):
            findings.append(
                Finding(
                    "LOCO-VALUE",
                    "error",
                    "metadata.name",
                    "the document has no name",
                    "metadata: {name: …}",
                    here,
                    kind,
                )
            )
    elif not _SERVICE_NAME.fullmatch(name) or len(name) > 63:
        # The name becomes a label's value and the stem of a Service's name, so the narrowest rule of them all holds.
        cure = re.sub(r"[^a-z0-9]+", "-", name.lower())[:63].strip("-") or "a name such as chat"
        cure = cure if cure[0].isalpha() else f"m-{cure}"[:63]
        message = "a name is at most 63 small letters, digits and dashes, a letter first and no dash last"
        origin = origin_of(at(tree, ("metadata", "name")), here)
        findings.append(Finding("LOCO-VALUE", "error", "metadata.name", message, cure, origin, kind, name))
    if place is None:
        message = "the document names no namespace, and neither does the stack"
        findings.append(
            Finding(
                "LOCO-CONFIG",
                "error",
                "metadata.namespace",
                message,
                "namespace in the stack config (pulumi config set namespace NAME), or metadata.namespace",
                here,
                kind,
            )
        )
    elif not _DNS_LABEL.fullmatch(place) or len(place) > 63:
        message = "a namespace is at most 63 small letters, digits and dashes, a letter or digit first and last"
        origin = origin_of(at(tree, ("metadata", "namespace")), here)
        findings.append(
            Finding(
                "LOCO-VALUE",
                "error",
                "metadata.namespace",
                message,
                "a namespace that Kubernetes accepts",
                origin,
                kind,
                place,
            )
        )
    return name, place, findings


def _text(tree: Node, path: tuple[str, ...]) -> str | None:
    node = at(tree, path)
    return node.value if isinstance(node, Leaf) and isinstance(node.value, str) and node.value else None
