"""One service and all that lies under it, as one resolved spec.

The order, low to high: profile, presets as chosen, the stack's defaults, baseRefs in order, the service itself, the
stack's overrides. The presets are chosen by the merge of all the others, in that same order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loco.layers.bases import Base, chosen_presets, referred, scripts_of, version_of
from loco.layers.catalog import Profile, profile
from loco.layers.go_template import Service, expand_expressions
from loco.layers.merge import Removal, merge_trees
from loco.layers.picker_config_map import with_config_map
from loco.layers.selection import choose
from loco.layers.template import expand
from loco.layers.values import context
from loco.model import Finding, Origin, errors_of
from loco.spec import SERVICE, Document, LLMInferenceServiceSpec, StackSpec
from loco.spec.credential_source import CredentialSource
from loco.spec.rules import Judged, broken_rules
from loco.spec.stack import CABundle, Override, PoolAPI
from loco.spec.tree import Branch, Node, Path, at, plain
from loco.spec.validate import KUBERNETES_SHAPES, check_kubernetes, check_model, origin_of

_METADATA = ("labels", "annotations")


@dataclass(frozen=True, slots=True)
class AppliedConfig:
    """A preset or base config that took part.

    Attributes:
        source: ``Preset`` or ``UserRef``: chosen for what the service is, or named by it.
        where: ``namespace NS``, ``folder FOLDER`` of the user's own presets, or ``presets VERSION``.
    """

    name: str
    source: str
    where: str

    def __str__(self) -> str:
        return f"{'preset' if self.source == 'Preset' else 'baseRef'} {self.name} ({self.where})"


@dataclass(frozen=True, slots=True)
class Resolved:
    """One service after layering.

    Attributes:
        spec: the merged, expanded spec, typed.
        tree: the same as a tree: every leaf knows its layer, file and line, and what it overrode.
        metadata: labels and annotations of the service's own metadata, after defaults and overrides; likewise a tree.
        applied: presets in order, then base configs.
        ca_bundle: the platform's, which downloads trust.
        credentials: what the stack declares: by Secret and key, where the value comes from.
        pool_api: the version of InferencePool that the platform knows.
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
    ca_bundle: CABundle | None = None
    credentials: Mapping[str, Mapping[str, CredentialSource]] = field(default_factory=dict)
    pool_api: PoolAPI = "v1"

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

    @property
    def adapter_names(self) -> tuple[str, ...]:
        """Of the LoRA adapters, sorted, each once; one without a name is none that a request could ask for."""
        return tuple(sorted({adapter.name for adapter in self.spec.adapters if adapter.name}))

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the service where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)

    def origin_of_metadata(self, *path: str) -> Origin:
        """The same of a label or annotation of the metadata."""
        return origin_of(at(self.metadata, path), self.origin)


def resolve(document: Document, stack: StackSpec) -> tuple[Resolved | None, list[Finding]]:
    """The resolved service, None where an error stands in the way, and the findings."""
    subject = document.subject
    ground = profile(stack.config.profile, version_of(stack))
    upper = _upper_layers(document, stack, [])
    decided, _ = merge_trees(spec_of(layer) for layer in upper)
    bases, findings = referred(document, stack, at(decided, ("baseRefs",)))
    if bases:
        upper = _upper_layers(document, stack, bases)
        decided, _ = merge_trees(spec_of(layer) for layer in upper)
    decided, unread = with_config_map(decided, stack, document.namespace, subject)
    findings += unread
    guessed = bool(errors_of(findings))  # a base config that isn't there could hold what seems to be missing
    presets, missing = chosen_presets(choose(decided, stack.config.platform.routes.form), document, stack)
    findings += missing
    layers = [ground.spec, *(base.spec for base in presets), *(spec_of(layer) for layer in upper)]
    merged, removals = merge_trees(layers)
    findings += [removal_finding(removal, subject) for removal in removals]

    shapeless = check_model(merged, LLMInferenceServiceSpec, path=("spec",), subject=subject, root=_rooted(merged))
    findings += shapeless
    if errors_of(findings):
        return None, findings + ([] if guessed or shapeless else _broken(document, merged, upper))
    tls, gateway, metadata = stack.config.platform.tls, _gateway(stack, ground), merged_metadata(upper)
    filled, refused = expand_expressions(
        merged, Service(document.name, document.namespace, subject, metadata, tls, gateway)
    )
    findings += refused
    if filled is not merged and (
        shapeless := check_model(filled, LLMInferenceServiceSpec, path=("spec",), subject=subject, root=_rooted(filled))
    ):
        return None, findings + shapeless
    before = LLMInferenceServiceSpec.model_validate(plain(filled))
    pool_api = stack.config.platform.inference_pool_api
    values = context(before, document.name, document.namespace, tls, gateway, ground.settings, pool_api)
    expanded, templating = expand(filled, values, subject, scripts_of(stack), stack.own_presets)
    findings += templating
    expanded, _ = with_config_map(expanded, stack, document.namespace, subject)
    findings += _kubernetes(expanded, subject)
    findings += _broken(document, expanded, upper)
    if errors_of(findings) or not isinstance(expanded, Branch):
        return None, findings
    resolved = Resolved(
        document.name,
        document.namespace,
        document.origin,
        LLMInferenceServiceSpec.model_validate(plain(expanded)),
        expanded,
        metadata,
        (
            *(AppliedConfig(base.name, "Preset", base.where) for base in presets),
            *(AppliedConfig(base.name, "UserRef", base.where) for base in bases),
        ),
        ground,
        tls,
        stack.config.platform.ca_bundle,
        stack.config.credentials,
        pool_api,
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


def _gateway(stack: StackSpec, ground: Profile) -> dict[str, str | None]:
    """The Gateway for routes: the platform's, else the profile's, if it has one."""
    chosen = stack.config.platform.gateway
    if chosen is not None and chosen.name:
        return {"name": chosen.name, "namespace": chosen.namespace}
    default = ground.settings.default_gateway
    return {"name": default.name, "namespace": default.namespace} if default is not None else {}


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


def _broken(document: Document, spec: Node, layers: Sequence[Branch]) -> list[Finding]:
    """What the rules say of the merged spec, which is well-typed, and of the metadata."""
    tree = Branch({"spec": spec, "metadata": merged_metadata(layers)}, document.origin)
    typed = LLMInferenceServiceSpec.model_validate(plain(spec))
    return broken_rules(Judged(document.name, document.subject, document.origin, typed, tree))


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
    """``LOCO-REMOVED``: a later layer took away what a lower one had set. ``LOCO-NO-EFFECT``: it found nothing there."""
    if removal.removed is None:
        message = f"{removal.how} finds no such item below, or stands in a list that is replaced as a whole"
        cure = "the merge key (mostly name) of an item that is there; of a list without one, the items that stay"
        value = plain(removal.by)
        return Finding("LOCO-NO-EFFECT", "warning", removal.where, message, cure, removal.by.origin, subject, value)
    message = f"{removal.how} removes what {removal.removed.origin} had set"
    cure = f"a value in place of {removal.how}, or take the line out to have what was set; if meant, keep it as it is"
    value = plain(removal.removed)
    return Finding("LOCO-REMOVED", "warning", removal.where, message, cure, removal.by.origin, subject, value)
