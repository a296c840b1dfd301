"""Whether a stack is watched, and by which document: ``observability-<stack>`` in the stack's namespace."""

from collections.abc import Collection, Sequence

from loco import names
from loco.gateway.documents import Observability
from loco.model import Finding, errors_of
from loco.spec import OBSERVABILITY, Document, StackSpec
from loco.spec.suggest import close_to
from loco.spec.tree import at
from loco.spec.validate import origin_of

_WHERE = ("observability", "enabled")


def is_watched(stack: StackSpec) -> bool:
    """Whether the stack config says so; bare files have none."""
    return stack.name is not None and stack.config.observability is not None and stack.config.observability.enabled


def own_documents(stack: StackSpec) -> list[Document]:
    """The documents of the stack's own name, in whatever namespace. Other stacks' are none of its business."""
    if stack.name is None:
        return []
    name = names.observability(stack.name)
    return [document for document in stack.documents if (document.kind, document.name) == (OBSERVABILITY, name)]


def chosen(
    stack: StackSpec, read: Sequence[Observability], switched_off: Collection[Document]
) -> tuple[Observability | None, list[Finding]]:
    """The document that says how the stack is watched.

    Args:
        stack: the stack.
        read: its own documents, as far as nothing is wrong with them.
        switched_off: those of them that an override switches off.

    Findings are ``LOCO-REFERENCE`` where there is none and should be one, ``LOCO-NO-EFFECT`` as a warning for one that
    nobody asks for.
    """
    own = own_documents(stack)
    if not is_watched(stack):
        if any(error.path.partition(".")[0] == "observability" for error in errors_of(stack.findings)):
            return None, []  # the switch itself could not be read
        return None, [_idle(document) for document in own if stack.name is not None and document not in switched_off]
    place = stack.config.namespace
    here = [document for document in own if place in (None, document.namespace)]
    if len(here) == 1 and here[0] not in switched_off:
        found = [each for each in read if (each.namespace, each.name) == (here[0].namespace, here[0].name)]
        return (found[0] if found else None), [_idle(document) for document in own if document is not here[0]]
    if not stack.complete:
        return None, []  # it may be among what could not be read
    return None, [_missing(stack, own, here, switched_off)]


def _missing(
    stack: StackSpec, own: Sequence[Document], here: Sequence[Document], switched_off: Collection[Document]
) -> Finding:
    assert stack.name is not None
    name, place = names.observability(stack.name), stack.config.namespace
    places = ", ".join(document.namespace for document in own)
    asked = f"the stack is to be watched as {OBSERVABILITY}/{place or 'NAMESPACE'}/{name} says"
    if len(here) > 1:
        message, cure = f"{asked}, and there are several: in {places}", "namespace in the stack config"
    elif here and here[0] in switched_off:
        message, cure = f"{asked}, and an override switches that off", "the override without enabled: false"
    elif own:
        message = f"{asked}, and there is one in {places} alone"
        cure = f"metadata: {{namespace: {place}}} for {own[0].origin}"
    else:
        known = sorted({document.name for document in stack.documents if document.kind == OBSERVABILITY})
        near = close_to(name, known)
        message = f"{asked}, and there is no such document"
        message += f"; known are {', '.join(known)}" if known else ""
        cure = f"a document {name}" + (f" (is {near} meant for this stack?)" if near else "") + ", or enabled: false"
    origin = origin_of(at(stack.config_tree, _WHERE), stack.config_tree.origin)
    return Finding("LOCO-REFERENCE", "error", ".".join(_WHERE), message, cure, origin, value=True)


def _idle(document: Document) -> Finding:
    message = "the stack isn't watched as this document says"
    cure = "observability: {enabled: true} in the stack config, and the document in the stack's namespace"
    return Finding("LOCO-NO-EFFECT", "warning", "metadata.name", message, cure, document.origin, document.subject)
