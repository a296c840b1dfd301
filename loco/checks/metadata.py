"""Metadata of a gateway or an external model that reaches nothing."""

from collections.abc import Collection
from typing import Any

from loco.layers import Layered
from loco.model import Finding
from loco.spec.tree import dotted, plain

_OF_KUBECTL = "kubectl.kubernetes.io/last-applied-configuration"


def check_metadata(document: Layered[Any], selected: Collection[str]) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for an annotation, and for a label that no gateway selects by.

    ``selected`` are the keys of labels that gateways select by; a gateway's own labels are of no use to anybody.
    """
    findings = []
    for field, node in document.metadata.items.items():
        for key in plain(node):
            if (field == "labels" and key in selected) or key == _OF_KUBECTL:
                continue
            message = f"{key} reaches no object" + (", and no gateway selects by it" if field == "labels" else "")
            path, origin = dotted(("metadata", field, key)), document.origin_of_metadata(field, key)
            cure = "the document without it"
            findings.append(Finding("LOCO-NO-EFFECT", "warning", path, message, cure, origin, document.subject))
    return findings
