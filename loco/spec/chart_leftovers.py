"""Expressions of a Helm chart that came along with a document: nothing expands them here, and nobody would notice."""

import re

from loco.model import Finding
from loco.spec.tree import Leaf, Node, Path, dotted, leaves

# What only a chart says: its values and its own functions. All other braces may be anybody's.
_CHART = re.compile(
    r"\{\{-?\s*(?:[^{}]{0,200}[\s(|$])?"
    r"(?:\.(?:Values|Release|Chart|Capabilities)\b|(?:include|tpl|toYaml|lookup|required)\s+[\"`.($])"
    r"[^{}]{0,200}(?:\}\})?"
)


def chart_leftovers(tree: Node, subject: str, root: Node, path: Path = ()) -> list[Finding]:
    """A warning for each text with such an expression, in a part that stands at ``path`` of ``root``."""
    findings = []
    for where, leaf in leaves(tree, path):
        text = leaf.value if isinstance(leaf, Leaf) else None
        if isinstance(text, str) and "{{" in text and (found := _CHART.search(text)) is not None:
            message = "this looks like an expression of a Helm chart; nothing expands it here, and it stays as it is"
            cure = "the value itself, or one for each environment under overrides; nothing, if it is meant as text"
            place = dotted(where, root)
            findings.append(
                Finding("LOCO-TEMPLATE", "warning", place, message, cure, leaf.origin, subject, found.group())
            )
    return findings
