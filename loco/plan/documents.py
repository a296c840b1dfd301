"""The stack's documents, layered: services with their presets, the other kinds without."""

from collections.abc import Sequence
from typing import TypeVar

from loco.gateway import Observability, chosen, is_watched, own_documents
from loco.layers import Layered, Resolved, enabled, layer, resolve
from loco.model import Parts
from loco.spec import OBSERVABILITY, SERVICE, Document, StackSpec
from loco.spec.document import Kind
from loco.spec.observability import ObservabilitySpec
from loco.spec.service import Spec

AnySpec = TypeVar("AnySpec", bound=Spec)


def resolved_services(stack: StackSpec, parts: Parts) -> list[Resolved]:
    """The services that are switched on, merged; findings go into the parts."""
    resolved = []
    for document in stack.documents:
        if document.kind == SERVICE and enabled(document, stack):
            service, findings = resolve(document, stack)
            parts.findings += findings
            if service is not None:
                resolved.append(service)
    return resolved


def layered_documents(
    stack: StackSpec, kind: Kind, model: type[AnySpec], parts: Parts, documents: Sequence[Document] | None = None
) -> list[Layered[AnySpec]]:
    """The documents of a kind that are switched on, of the stack's or those given, merged likewise."""
    layered = []
    for document in stack.documents if documents is None else documents:
        if document.kind == kind and enabled(document, stack):
            found, findings = layer(document, stack, model)
            parts.findings += findings
            if found is not None:
                layered.append(found)
    return layered


def watching_documents(stack: StackSpec, parts: Parts) -> tuple[list[Layered[ObservabilitySpec]], Observability | None]:
    """The stack's own documents of that kind, and the one by which it is watched; other stacks' aren't looked into."""
    own = own_documents(stack)
    layered = layered_documents(stack, OBSERVABILITY, ObservabilitySpec, parts, own) if is_watched(stack) else []
    read = [Observability(each.namespace, each.name, each.spec, each.tree, each.origin) for each in layered]
    found, findings = chosen(stack, read, [document for document in own if not enabled(document, stack)])
    parts.findings += findings
    return layered, found
