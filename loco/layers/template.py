"""Templates in presets, expanded scalar by scalar over the merged spec, after merging.

Presets are Jinja2, in a sandbox where an undefined name is an error and only the names below exist. Text of a
service or a base config is never Jinja2; what looks like one of KServe's own expressions there is a finding until
loco translates them, and every other brace stays as it is.
"""

import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import DictLoader, StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from loco.layers.catalog import scripts
from loco.model import Finding
from loco.spec.tree import Branch, Leaf, Node, Path, Row, dotted

_GO_EXPRESSION = re.compile(
    r"\{\{-?\s*(?:\.(?:ObjectMeta|Spec|GlobalConfig)\b|(?:ChildName|shutdownTimeout|kvTransferConfig)\b)"
)


def expand(tree: Node, values: Mapping[str, Any], subject: str) -> tuple[Node, list[Finding]]:
    """A spec's tree with every preset's scalar expanded, and findings of what can't be."""
    findings: list[Finding] = []
    root = Branch({"spec": tree}, tree.origin)

    def walk(node: Node, path: Path) -> Node:
        if isinstance(node, Branch):
            return Branch({key: walk(item, (*path, key)) for key, item in node.items.items()}, node.origin)
        if isinstance(node, Row):
            return Row(tuple(walk(item, (*path, i)) for i, item in enumerate(node.items)), node.origin, node.overrode)
        if not isinstance(node.value, str) or "{" not in node.value:
            return node
        if node.origin.layer.startswith("preset:"):
            try:
                return Leaf(_compiled(node.value).render(values), node.origin, node)
            except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
                message = f"the preset's template can't be expanded: {error}"
                findings.append(
                    Finding(
                        "LOCO-TEMPLATE",
                        "error",
                        dotted(path, root),
                        message,
                        "a name that presets may use",
                        node.origin,
                        subject,
                    )
                )
                return node
        if match := _GO_EXPRESSION.search(node.value):
            message = "template expressions in services and base configs aren't implemented yet"
            shown = node.value[match.start() : match.start() + 60]
            findings.append(
                Finding(
                    "LOCO-UNSUPPORTED",
                    "error",
                    dotted(path, root),
                    message,
                    "the value itself",
                    node.origin,
                    subject,
                    shown,
                )
            )
        return node

    return walk(tree, ("spec",)), findings


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=DictLoader(scripts()),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        comment_start_string="{##",  # bash writes {# in ${#list[@]}
        comment_end_string="##}",
    )
    environment.globals.clear()
    environment.filters["sh"] = shlex.quote
    return environment


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)
