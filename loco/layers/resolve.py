"""One service and all that lies under it, as one resolved spec.

The order, low to high: profile, presets as chosen, the stack's defaults, baseRefs in order, the service itself, the
stack's overrides. The presets are chosen by the merge of all the others, in that same order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from loco.layers.catalog import PRESETS, Profile, preset, profile
from loco.layers.merge import Removal, merge_trees
from loco.layers.selection import choose
from loco.layers.template import expand
from loco.layers.values import context
from loco.model import Finding, Origin, errors_of
from loco.spec import BASE_CONFIG, SERVICE, Document, LLMInferenceServiceSpec, StackSpec
from loco.spec.stack import Override
from loco.spec.suggest import close_to
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, plain, relayered
from loco.spec.validate import KUBERNETES_SHAPES, check_kubernetes, check_model, origin_of

_METADATA = ("labels", "annotations")


@dataclass(frozen=True, slots=True)
class AppliedConfig:
    """A preset or base config that took part, with where it came from: ``Preset`` or ``UserRef``."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Base:
    """A base config as a layer."""

    name: str
    spec: Node


@dataclass(frozen=True, slots=True)
class Resolved:
    """One service after layering.

    Attributes:
        spec: the merged, expanded spec, typed.
        tree: the same as a tree: every leaf knows its layer, file and line, and what it overrode.
        metadata: labels and annotations of the service's own metadata, after defaults and overrides; likewise a tree.
        applied: presets in order, then base configs.
    """

    name: str
    namespace: str
    origin: Origin
    spec: LLMInferenceServiceSpec
    tree: Branch
    metadata: Branch
    applied: tuple[AppliedConfig, ...]
    profile: Profile
    tls: bool

    @property
    def subject(self) -> str:
        return f"{SERVICE}/{self.namespace}/{self.name}"

    @property
    def labels(self) -> dict[str, str]:
        """Of the metadata."""
        return texts(at(self.metadata, ("labels",)))

    @property
    def annotations(self) -> dict[str, str]:
        """Of the metadata."""
        return texts(at(self.metadata, ("annotations",)))

    @property
    def model_name(self) -> str:
        """The served name: the spec's, else the service's own."""
        return (self.spec.model.name if self.spec.model else None) or self.name

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the service where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)

    def origin_of_metadata(self, *path: str) -> Origin:
        """The same of a label or annotation of the metadata."""
        return origin_of(at(self.metadata, path), self.origin)


def resolve(document: Document, stack: StackSpec) -> tuple[Resolved | None, list[Finding]]:
    """The resolved service, None where an error stands in the way, and the findings."""
    subject = document.subject
    ground = profile(stack.config.profile)
    upper = _upper_layers(document, stack, [])
    decided, _ = merge_trees(spec_of(layer) for layer in upper)
    bases, findings = _bases(document, stack, at(decided, ("baseRefs",)))
    if bases:
        upper = _upper_layers(document, stack, bases)
        decided, _ = merge_trees(spec_of(layer) for layer in upper)
    chosen = choose(decided)
    layers = [ground.spec, *(preset(name) for name in chosen), *(spec_of(layer) for layer in upper)]
    merged, removals = merge_trees(layers)
    findings += [removal_finding(removal, subject) for removal in removals]

    findings += check_model(merged, LLMInferenceServiceSpec, path=("spec",), subject=subject, root=_rooted(merged))
    if errors_of(findings):
        return None, findings
    before = LLMInferenceServiceSpec.model_validate(plain(merged))
    tls = stack.config.platform.tls
    values = context(before, document.name, document.namespace, tls, _gateway(stack, ground))
    expanded, templating = expand(merged, values, subject)
    findings += templating
    findings += _kubernetes(expanded, subject)
    if errors_of(findings) or not isinstance(expanded, Branch):
        return None, findings
    resolved = Resolved(
        document.name,
        document.namespace,
        document.origin,
        LLMInferenceServiceSpec.model_validate(plain(expanded)),
        expanded,
        merged_metadata(upper),
        (*(AppliedConfig(name, "Preset") for name in chosen), *(AppliedConfig(base.name, "UserRef") for base in bases)),
        ground,
        tls,
    )
    return resolved, findings


def enabled(document: Document, stack: StackSpec) -> bool:
    """Whether no override switches the document off."""
    return all(override.enabled for override in overrides_of(document, stack))


def overrides_of(document: Document, stack: StackSpec) -> list[Override]:
    """The stack's overrides of a document, in config order."""
    return [
        override
        for override in stack.overrides
        if (override.kind, override.name) == (document.kind, document.name)
        and override.namespace in (None, document.namespace)
    ]


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Row) else ()


def _gateway(stack: StackSpec, ground: Profile) -> dict[str, str | None]:
    """The Gateway for routes: the platform's, else the profile's, if it has one."""
    chosen = stack.config.platform.gateway
    if chosen is not None and chosen.name:
        return {"name": chosen.name, "namespace": chosen.namespace}
    default = ground.settings.default_gateway
    return {"name": default.name, "namespace": default.namespace} if default is not None else {}


def _bases(document: Document, stack: StackSpec, refs: Node | None) -> tuple[list[Base], list[Finding]]:
    """The base configs that a service asks for, in order: the stack's in its namespace, else the presets."""
    own = {d.name: d for d in stack.documents if d.kind == BASE_CONFIG and d.namespace == document.namespace}
    found: list[Base] = []
    findings: list[Finding] = []
    for index, ref in enumerate(_items(refs)):
        node = at(ref, ("name",))
        name = node.value if isinstance(node, Leaf) and isinstance(node.value, str) else ""
        path, origin = f"spec.baseRefs[{index}].name", origin_of(node, ref.origin)
        if name in own:
            found.append(Base(name, relayered(own[name].spec, f"baseRef:{name}")))
        elif name in PRESETS:
            found.append(Base(name, preset(name)))
        elif not name:
            message, cure = "a base reference names nothing", "- name: …, a base config of the stack"
            findings.append(Finding("LOCO-VALUE", "error", path, message, cure, origin, document.subject))
        elif stack.complete:  # otherwise it may be the document that could not be read
            places = f"the namespace {document.namespace} and the presets"
            message = f"no {BASE_CONFIG} is called {name}; searched {places}"
            known = [*own, *PRESETS]
            cure = close_to(name, known) or f"one of {', '.join(sorted(known))}"
            findings.append(Finding("LOCO-REFERENCE", "error", path, message, cure, origin, document.subject, name))
    return found, findings


def _upper_layers(document: Document, stack: StackSpec, bases: Sequence[Base]) -> list[Branch]:
    """Every layer above the presets, low to high, as documents."""
    defaults = stack.defaults.get(document.kind)
    return [
        *([defaults] if defaults else []),
        *(Branch({"spec": base.spec}, base.spec.origin) for base in bases),
        document.tree,
        *(override.tree for override in overrides_of(document, stack)),
    ]


def spec_of(layer: Branch) -> Branch:
    """The spec of a document or layer; an absent one is empty."""
    spec = layer.items.get("spec")
    return spec if isinstance(spec, Branch) else Branch({}, layer.origin)


def merged_metadata(layers: Sequence[Branch]) -> Branch:
    """Labels and annotations of documents and layers, low to high, merged."""
    merged, _ = merge_trees(_metadata_of(layer) for layer in layers)
    assert isinstance(merged, Branch)
    return merged


def _metadata_of(layer: Branch) -> Node:
    metadata = layer.items.get("metadata")
    items = metadata.items if isinstance(metadata, Branch) else {}
    return Branch({key: items[key] for key in _METADATA if key in items}, layer.origin)


def texts(node: Node | None) -> dict[str, str]:
    """Labels or annotations as plain text; none where there are none."""
    value = plain(node) if node is not None else {}
    return {str(key): str(item) for key, item in value.items()}


def _rooted(spec: Node) -> Node:
    return Branch({"spec": spec}, spec.origin)


def _kubernetes(tree: Node, subject: str) -> list[Finding]:
    findings = []
    for below, definition in KUBERNETES_SHAPES:
        if isinstance(part := at(tree, below), Branch):
            path: Path = ("spec", *below)
            findings += check_kubernetes(
                part, definition, path=path, subject=subject, root=_rooted(tree), complete=True
            )
    return findings


def removal_finding(removal: Removal, subject: str) -> Finding:
    """``LOCO-REMOVED``: a later layer took away what a lower one had set."""
    message = f"{removal.how} removes what {removal.removed.origin} had set"
    cure = "nothing, if that is meant; else remove the line"
    value = plain(removal.removed)
    return Finding("LOCO-REMOVED", "warning", removal.where, message, cure, removal.by.origin, subject, value)
