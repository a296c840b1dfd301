"""Templates in presets, expanded scalar by scalar over the merged spec, after merging.

Presets are Jinja2, in a sandbox where an undefined name is an error and only the names below exist. Text of a
service or a base config is never Jinja2; KServe's own expressions in it have been expanded before.
"""

import shlex
from collections.abc import Callable, Mapping
from functools import cache
from traceback import extract_tb
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from loco.layers.catalog import NEWEST
from loco.layers.catalog import scripts as shipped_scripts
from loco.model import Finding, Origin
from loco.spec.presets import Script
from loco.spec.tree import Branch, Leaf, Node, Path, Row, dotted

_Scripts = tuple[tuple[str, Script], ...]
# A path on the way down, the last key at hand: only a finding needs the whole of it.
_Chain = tuple["_Chain | None", str | int]


def expand(
    tree: Node, values: Mapping[str, Any], subject: str, scripts: Mapping[str, Script] | None = None
) -> tuple[Node, list[Finding]]:
    """A spec's tree with every preset's scalar expanded, and findings of what can't be.

    Args:
        scripts: what presets may include, by file name; None for the newest that loco ships.
    """
    included = tuple((shipped_scripts(NEWEST) if scripts is None else scripts).items())
    findings: list[Finding] = []
    root = Branch({"spec": tree}, tree.origin)

    rendered: dict[str, str] = {}  # the probes of a pod say the same thing often

    def walk(node: Node, path: _Chain) -> Node:
        if isinstance(node, Branch):
            items = {key: walk(item, (path, key)) for key, item in node.items.items()}
            same = all(items[key] is item for key, item in node.items.items())
            return node if same else Branch(items, node.origin)
        if isinstance(node, Row):
            row = tuple(walk(item, (path, index)) for index, item in enumerate(node.items))
            same = all(new is old for new, old in zip(row, node.items, strict=True))
            return node if same else Row(row, node.origin, node.overrode)
        if not isinstance(node.value, str) or "{" not in node.value or not node.origin.layer.startswith("preset:"):
            return node
        try:
            if node.value not in rendered:
                rendered[node.value] = _compiled(node.value, included).render(values)
            return Leaf(rendered[node.value], node.origin, node)
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            message = f"the preset's template can't be expanded: {error}"
            findings.append(
                Finding(
                    "LOCO-TEMPLATE",
                    "error",
                    dotted(_path(path), root),
                    message,
                    "a name that presets may use",
                    _origin(error, node.origin, included),
                    subject,
                )
            )
            return node

    return walk(tree, (None, "spec")), findings


def _path(chain: _Chain) -> Path:
    above, key = chain
    return (*(_path(above) if above is not None else ()), key)


def _origin(error: Exception, preset: Origin, scripts: _Scripts) -> Origin:
    """The line of the script that an error is in, else the preset's own."""
    files = {script.file for _, script in scripts}
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename in files]
    return Origin(preset.layer, frames[-1].filename, frames[-1].lineno) if frames else preset


def _word(text: str) -> str:
    """One word of a bash command. Kubernetes reads $(NAME) and $$ in it first, hence each $ in quotes of its own."""
    return shlex.quote(text).replace("$", "'\"$\"'")


@cache
def _environment(scripts: _Scripts) -> ImmutableSandboxedEnvironment:
    known = dict(scripts)

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        return (known[name].text, known[name].file, lambda: True) if name in known else None

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        comment_start_string="{##",  # bash writes {# in ${#list[@]}
        comment_end_string="##}",
    )
    environment.globals.clear()
    environment.filters["sh"] = _word
    return environment


@cache
def _compiled(text: str, scripts: _Scripts) -> Template:
    return _environment(scripts).from_string(text)
