"""Documents that have no presets and no templates: defaults, the document itself, overrides, merged in that order."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from loco.layers.merge import merge_trees
from loco.layers.places import Place
from loco.layers.resolve import overrides_of
from loco.model import Finding, Origin
from loco.spec import Document, StackSpec
from loco.spec.service import Spec
from loco.spec.tree import Branch, at, plain
from loco.spec.validate import check_model, origin_of

AnySpec = TypeVar("AnySpec", bound=Spec)

_NO_KEYED_LISTS = Place(None)


@dataclass(frozen=True, slots=True)
class Layered(Generic[AnySpec]):
    """One document after layering.

    Attributes:
        spec: typed.
        tree: the same, with the origin of every leaf.
        labels: of the metadata, by which gateways select.
    """

    namespace: str
    name: str
    spec: AnySpec
    tree: Branch
    labels: dict[str, str]
    origin: Origin

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the document where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)


def layer(document: Document, stack: StackSpec, model: type[AnySpec]) -> tuple[Layered[AnySpec] | None, list[Finding]]:
    """The layered document, None where an error stands in the way, and the findings."""
    defaults = stack.defaults.get(document.kind)
    layers = [*([defaults] if defaults else []), document.tree, *(o.tree for o in overrides_of(document, stack))]
    merged, _ = merge_trees((_part(tree, "spec") for tree in layers), _NO_KEYED_LISTS)
    assert isinstance(merged, Branch)
    rooted = Branch({"spec": merged}, document.origin)
    findings = check_model(merged, model, path=("spec",), subject=document.subject, root=rooted)
    if findings:
        return None, findings
    labels, _ = merge_trees((_part(_part(tree, "metadata"), "labels") for tree in layers), _NO_KEYED_LISTS)
    spec = model.model_validate(plain(merged))
    return Layered(document.namespace, document.name, spec, merged, plain(labels), document.origin), []


def _part(tree: Branch, key: str) -> Branch:
    part = tree.items.get(key)
    return part if isinstance(part, Branch) else Branch({}, tree.origin)
