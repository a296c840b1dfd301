"""Base configs in a namespace where nobody looks for them."""

from loco.model import Finding
from loco.spec import BASE_CONFIG, SERVICE, StackSpec
from loco.spec.tree import at
from loco.spec.validate import origin_of


def check_base_configs(stack: StackSpec) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for a base config in a namespace without services, such as KServe's system namespace."""
    inhabited = {document.namespace for document in stack.documents if document.kind == SERVICE}
    if not inhabited or not stack.complete:  # files of base configs alone; or a service that could not be read
        return []
    findings = []
    for document in stack.documents:
        if document.kind == BASE_CONFIG and document.namespace not in inhabited:
            place = at(document.tree, ("metadata", "namespace"))
            message = (
                f"the stack has no service in the namespace {document.namespace}, "
                "and a base config is found by the services of its own namespace"
            )
            cure = f"namespace: {min(inhabited)}; or the document in the folder of presets, which serves all namespaces"
            origin = origin_of(place, document.origin)
            findings.append(
                Finding("LOCO-NO-EFFECT", "warning", "metadata.namespace", message, cure, origin, document.subject)
            )
    return findings
