"""Logical names, which are the engine's; a rename of one is a replacement unless it is aliased."""

from loco.model import ManifestId
from loco.names.child_names import LONGEST, md5

STACK_COMPONENT = "stack"
_LONGEST_JOB = LONGEST - len("-01234567") - len("-01234567")  # of a Job's own part, beside a hash and the provider's


def component_name(namespace: str, name: str) -> str:
    """Logical name of the component of one document, unique within its type."""
    return f"{namespace}/{name}"


def owner(kind: str, namespace: str, name: str) -> str:
    """How a manifest names the document that it belongs to; documents of two kinds may share a name."""
    return f"{kind}/{namespace}/{name}"


def logical_name(component: str | None, manifest: ManifestId) -> str:
    """Logical name of one object: ``<component>/<namespace>/<object>``, never with a content hash.

    Args:
        component: the owning document, as ``owner`` names it; None for what belongs to the stack as a whole.
        manifest: the object; a cluster-scoped one has the namespace ``-``.
    """
    owner = STACK_COMPONENT if component is None else component.rpartition("/")[2]
    return f"{owner}/{manifest.namespace or '-'}/{manifest.name}"


def edition_name(manifest: ManifestId) -> str:
    """Logical name of an object of which each content has a name of its own: those names begin with it.

    So it is one that Kubernetes accepts; neither part has a dot. A Job's name is also a label of its pods, so that one
    is short enough for what the provider adds, and a hash stands in for the rest.
    """
    whole = f"{manifest.name}.{manifest.namespace}"
    if manifest.kind == "Job":
        return f"{manifest.name[:_LONGEST_JOB].rstrip('-')}-{md5(whole)[:8]}"
    return whole
