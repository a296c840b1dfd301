"""One document of a model file: its kind, its name, and a tree that knows its lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from loco.model import Finding, Origin, errors_of
from loco.names import is_observability
from loco.spec.chart_leftovers import chart_leftovers
from loco.spec.companion import COMPANION_API, SECRET_CURE, check_companion, written
from loco.spec.external_model import ExternalModelSpec
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.observability import ObservabilitySpec
from loco.spec.older import older_fields
from loco.spec.rules import check_formats
from loco.spec.service import LLMInferenceServiceSpec, Spec
from loco.spec.suggest import close_to
from loco.spec.texts import NAMESPACE_RULE as NAMESPACE_RULE
from loco.spec.texts import is_namespace as is_namespace
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, text_of
from loco.spec.validate import (
    KUBERNETES_SHAPES,
    check_directives,
    check_kubernetes,
    check_model,
    mistyped,
    origin_of,
)

Kind = Literal[
    "LLMInferenceService",
    "LLMInferenceServiceConfig",
    "ExternalModel",
    "LiteLLMGateway",
    "Observability",
    "ServiceAccount",
    "ConfigMap",
    "PersistentVolumeClaim",
]
SERVICE: Kind = "LLMInferenceService"
BASE_CONFIG: Kind = "LLMInferenceServiceConfig"
EXTERNAL_MODEL: Kind = "ExternalModel"
GATEWAY: Kind = "LiteLLMGateway"
OBSERVABILITY: Kind = "Observability"
CONFIG_MAP: Kind = "ConfigMap"
COMPANION_KINDS: tuple[Kind, ...] = ("ServiceAccount", CONFIG_MAP, "PersistentVolumeClaim")
# The kinds that defaults and overrides may name.
LAYERED: tuple[Kind, ...] = (SERVICE, EXTERNAL_MODEL, GATEWAY, OBSERVABILITY)

KSERVE_API = "serving.kserve.io/v1alpha2"
OLDER_KSERVE_API = "serving.kserve.io/v1alpha1"  # read too: what it has and v1alpha2 hasn't is refused field by field
LOCO_API = "locostack.com/v1alpha1"
_GATEWAY_API = "gateway.networking.k8s.io/"
_API_OF: dict[Kind, str] = {
    SERVICE: KSERVE_API,
    BASE_CONFIG: KSERVE_API,
    EXTERNAL_MODEL: LOCO_API,
    GATEWAY: LOCO_API,
    OBSERVABILITY: LOCO_API,
    **dict.fromkeys(COMPANION_KINDS, COMPANION_API),
}
SPEC_OF: dict[Kind, type[Spec]] = {
    SERVICE: LLMInferenceServiceSpec,
    BASE_CONFIG: LLMInferenceServiceSpec,
    EXTERNAL_MODEL: ExternalModelSpec,
    GATEWAY: LiteLLMGatewaySpec,
    OBSERVABILITY: ObservabilitySpec,
}
_LEAST_SPEC: dict[Kind, str] = {
    SERVICE: "spec: {model: {uri: …}}",
    EXTERNAL_MODEL: "spec: {provider: …, model: …, url: …}",
}
_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LONGEST_NAME = 63


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


class _Hints(_Envelope):
    """The whole tree, for saying where a misplaced key belongs."""

    spec: LLMInferenceServiceSpec | None = None  # type: ignore[assignment]


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
    if _text(tree, ("kind",)) == "Gateway" and (_text(tree, ("apiVersion",)) or "").startswith(_GATEWAY_API):
        message = "a Gateway is the platform's own: as a document it is left out, and not applied"
        cure = "nothing, if the Gateway is there; else platform: {gateway: {create: …}} in the stack config, which makes it"
        return None, [Finding("LOCO-NO-EFFECT", "warning", "kind", message, cure, tree.origin, "Gateway")]
    if not isinstance(tree, Branch):
        return None, [replace(mistyped(tree, (), "a mapping", None, tree), cure="apiVersion, kind, metadata and spec")]
    kind, findings = _kind_of(tree)
    if kind is None:
        return None, findings
    if kind in COMPANION_KINDS:
        name, place, findings = check_companion(tree, kind, namespace)
        findings += chart_leftovers(tree, "/".join(part for part in (kind, place, name) if part), tree)
        if errors_of(findings) or name is None or place is None:
            return None, findings
        return Document(kind, place, name, written(tree, place)), findings
    name, place, naming = _name_of(tree, kind, namespace)
    subject = "/".join(part for part in (kind, place, name) if part)
    findings += naming
    findings += check_model(tree, _Envelope, subject=subject, hints=_Hints, directives=False)
    spec = tree.items.get("spec")
    if spec is None:
        if least := _LEAST_SPEC.get(kind):
            findings.append(Finding("LOCO-VALUE", "error", "spec", "spec is missing", least, tree.origin, subject))
    elif isinstance(spec, Branch):
        findings += check_spec(spec, subject, tree, kind=kind)
        if kind == BASE_CONFIG and (refs := spec.items.get("baseRefs")) is not None:
            message = "a base config can't refer to other base configs"
            cure = "the list in the service"
            findings.append(Finding("LOCO-VALUE", "error", "spec.baseRefs", message, cure, refs.origin, subject))
    elif isinstance(spec, Leaf) and spec.value is None:
        findings.append(mistyped(spec, ("spec",), "a mapping", subject, tree))
    if kind == OBSERVABILITY and name is not None and not is_observability(name):
        message, cure = f"an {OBSERVABILITY} belongs to one stack, by its name", "observability-<stack>"
        origin = origin_of(at(tree, ("metadata", "name")), tree.origin)
        findings.append(Finding("LOCO-VALUE", "error", "metadata.name", message, cure, origin, subject, name))
    if kind != BASE_CONFIG:  # there an expression that isn't KServe's is an error
        findings += chart_leftovers(tree, subject, tree)
    if errors_of(findings) or name is None or place is None:
        return None, findings
    return Document(kind, place, name, tree), findings


def check_spec(
    spec: Node, subject: str, root: Node, path: tuple[str, ...] = ("spec",), kind: Kind = SERVICE
) -> list[Finding]:
    """Findings of a spec that is one layer among several, and so may leave out what it must have in the end."""
    findings = check_model(spec, SPEC_OF[kind], path=path, subject=subject, root=root, partial=True)
    findings += check_directives(spec, path, subject, root)
    if SPEC_OF[kind] is not LLMInferenceServiceSpec:
        return findings
    older = older_fields(spec, subject, root, path)
    known = {finding.path for finding in older}
    findings = [*older, *(finding for finding in findings if finding.path not in known)]
    findings += check_formats(spec, subject, path, templates=True)
    for below, definition in (*KUBERNETES_SHAPES, *_claims(spec)):
        if isinstance(part := at(spec, below), Branch):
            where = (*path, *below)
            model = LLMInferenceServiceSpec
            findings += check_kubernetes(part, definition, path=where, subject=subject, root=root, model=model)
    return findings


def _claims(spec: Node) -> Iterator[tuple[Path, str]]:
    """Where claims for tiers of the KV cache are described."""
    for side in ((), ("prefill",)):
        tiers: Path = (*side, "kvCacheOffloading", "secondary")
        row = at(spec, tiers)
        for index in range(len(row.items) if isinstance(row, Row) else 0):
            yield (*tiers, index, "fileSystem", "pvc", "spec"), "PersistentVolumeClaimSpec"


def _kind_of(tree: Branch) -> tuple[Kind | None, list[Finding]]:
    for key in ("kind", "apiVersion"):
        node = tree.items.get(key)
        if node is not None and not (isinstance(node, Leaf) and (node.value is None or isinstance(node.value, str))):
            return None, [mistyped(node, (key,), "text", None, tree)]
    kind, version = _text(tree, ("kind",)), _text(tree, ("apiVersion",))
    origin = origin_of(tree.items.get("kind"), tree.origin)
    known = ", ".join(_API_OF)
    if kind is None:
        return None, [Finding("LOCO-KIND", "error", "kind", "the document has no kind", f"one of {known}", origin)]
    if kind == "Secret":
        message = "a Secret's values don't stand in files"
        return None, [Finding("LOCO-KIND", "error", "kind", message, SECRET_CURE, origin)]
    if kind not in _API_OF:
        cure = close_to(kind, _API_OF) or f"one of {known}; other objects belong to another project"
        return None, [Finding("LOCO-KIND", "error", "kind", f"loco knows no kind {kind}", cure, origin, value=kind)]
    wanted = {str(name): api for name, api in _API_OF.items()}[kind]
    if version != wanted and (wanted, version) != (KSERVE_API, OLDER_KSERVE_API):
        origin = origin_of(tree.items.get("apiVersion"), tree.origin)
        message, cure = f"{kind} is read as {wanted}", f"apiVersion: {wanted}"
        return None, [Finding("LOCO-KIND", "error", "apiVersion", message, cure, origin, kind, version)]
    return next(known for known in _API_OF if known == kind), []


def _name_of(tree: Branch, kind: str, namespace: str | None) -> tuple[str | None, str | None, list[Finding]]:
    """Name and namespace; where they are of a wrong type, that is for the check of the whole document to say."""
    findings = []
    metadata = tree.items.get("metadata")
    here = origin_of(metadata, tree.origin)
    own_name, own_place = at(metadata, ("name",)), at(metadata, ("namespace",))
    name = own_name.value if isinstance(own_name, Leaf) else None
    place = own_place.value if isinstance(own_place, Leaf) and own_place.value not in (None, "") else namespace
    absent = own_name is None and not _of_wrong_type(metadata)
    empty = isinstance(own_name, Leaf) and own_name.value in (None, "")
    if absent or empty:
        cure = "metadata: {name: …}, a name that stays the same"
        origin = origin_of(own_name, here)
        message = "the document has no name"
        findings.append(Finding("LOCO-VALUE", "error", "metadata.name", message, cure, origin, kind))
    elif isinstance(name, str) and (not _SERVICE_NAME.fullmatch(name) or len(name) > _LONGEST_NAME):
        # The name becomes a label's value and the stem of a Service's name, so the narrowest rule of them all holds.
        message = "a name is at most 63 small letters, digits and dashes, a letter first and no dash last"
        origin = origin_of(own_name, here)
        findings.append(Finding("LOCO-VALUE", "error", "metadata.name", message, _mended(name), origin, kind, name))
    if isinstance(place, str) and place != namespace and not is_namespace(place):
        origin = origin_of(own_place, here)
        cure = "a namespace that Kubernetes accepts"
        findings.append(Finding("LOCO-VALUE", "error", "metadata.namespace", NAMESPACE_RULE, cure, origin, kind, place))
    elif place is None and not _of_wrong_type(metadata) and not isinstance(own_place, (Branch, Row)):
        message = "the document names no namespace, and neither does the stack"
        cure = "metadata.namespace; or namespace in the stack config (pulumi config set namespace NAME), --namespace NS beside FILE"
        findings.append(Finding("LOCO-CONFIG", "error", "metadata.namespace", message, cure, here, kind))
    return (
        name if isinstance(name, str) and name else None,
        place if isinstance(place, str) else None,
        findings,
    )


def _of_wrong_type(metadata: Node | None) -> bool:
    empty = isinstance(metadata, Leaf) and metadata.value is None
    return metadata is not None and not isinstance(metadata, Branch) and not empty


def _mended(name: str) -> str:
    """The allowed name that is nearest to a refused one."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not plain:
        return "a name such as chat"
    return (plain if plain[0].isalpha() else f"m-{plain}")[:_LONGEST_NAME].strip("-")


def _text(tree: Node, path: tuple[str, ...]) -> str | None:
    return text_of(at(tree, path)) or None
