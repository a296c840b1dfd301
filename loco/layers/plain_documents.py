"""Documents that have no presets and no templates: defaults, the document itself, overrides, merged in that order."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from loco.layers.merge import merge_trees
from loco.layers.places import Place
from loco.layers.resolve import merged_metadata, overrides_of, removal_finding, spec_of, texts
from loco.model import Finding, Origin
from loco.spec import Document, StackSpec
from loco.spec.document import GATEWAY, Kind
from loco.spec.service import Spec
from loco.spec.tree import Branch, Row, at, plain
from loco.spec.validate import GATEWAY_SHAPES, check_kubernetes, check_model, origin_of

AnySpec = TypeVar("AnySpec", bound=Spec)


@dataclass(frozen=True, slots=True)
class Layered(Generic[AnySpec]):
    """One document after layering.

    Attributes:
        spec: typed.
        tree: the same, with the origin of every leaf.
        metadata: labels, by which gateways select, and annotations; likewise a tree.
    """

    kind: Kind
    namespace: str
    name: str
    spec: AnySpec
    tree: Branch
    metadata: Branch
    origin: Origin

    @property
    def subject(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"

    @property
    def labels(self) -> dict[str, str]:
        """Of the metadata."""
        return texts(at(self.metadata, ("labels",)))

    def origin_of_metadata(self, *path: str) -> Origin:
        """Where a label or annotation was written; the document where nobody wrote it."""
        return origin_of(at(self.metadata, path), self.origin)


def layer(document: Document, stack: StackSpec, model: type[AnySpec]) -> tuple[Layered[AnySpec] | None, list[Finding]]:
    """The layered document, None where an error stands in the way, and the findings."""
    defaults = stack.defaults.get(document.kind)
    layers = [*([defaults] if defaults else []), document.tree, *(o.tree for o in overrides_of(document, stack))]
    merged, removals = merge_trees((spec_of(tree) for tree in layers), Place((document.kind,)))
    assert isinstance(merged, Branch)
    rooted = Branch({"spec": merged}, document.origin)
    findings = check_model(merged, model, path=("spec",), subject=document.subject, root=rooted)
    if not findings and document.kind == GATEWAY:
        findings = _kubernetes(rooted, document.subject)
    if findings:
        return None, findings
    spec = model.model_validate(plain(merged))
    found = Layered(
        document.kind, document.namespace, document.name, spec, merged, merged_metadata(layers), document.origin
    )
    return found, [removal_finding(removal, document.subject) for removal in removals]


def _kubernetes(rooted: Branch, subject: str) -> list[Finding]:
    """What the merged spec of a gateway has of Kubernetes' own shapes, each held against its table."""
    findings = []
    for below, definition in GATEWAY_SHAPES:
        path = ("spec", *below)
        node = at(rooted, path)
        places = [(*path, index) for index in range(len(node.items))] if isinstance(node, Row) else [path]
        for place in places:
            if (part := at(rooted, place)) is not None:
                findings += check_kubernetes(part, definition, path=place, subject=subject, root=rooted, complete=True)
    return findings
