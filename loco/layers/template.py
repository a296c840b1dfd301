"""Templates in presets, expanded scalar by scalar over the merged spec, after merging.

Presets are Jinja2, in a sandbox where an undefined name is an error and only the names below exist. Text of a
service or a base config is never Jinja2; KServe's own expressions in it have been expanded before.
"""

import shlex
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, Template, TemplateNotFound, TemplateSyntaxError, Undefined
from jinja2.exceptions import UndefinedError

from loco.layers.catalog import NEWEST
from loco.layers.catalog import scripts as shipped_scripts
from loco.layers.preset_faults import GO_WORDS, fault
from loco.layers.sandbox import LONGEST, TOO_LONG, Sandbox, named_in, with_budget
from loco.model import Finding, Origin
from loco.spec.presets import NO_PRESETS, OwnPresets, Script
from loco.spec.tree import HALF_CHARACTER, Branch, Leaf, Node, Path, Row, dotted, leaves

_Scripts = tuple[tuple[str, Script], ...]
# A path on the way down, the last key at hand: only a finding needs the whole of it.
_Chain = tuple["_Chain | None", str | int]


def expand(
    tree: Node,
    values: Mapping[str, Any],
    subject: str,
    scripts: Mapping[str, Script] | None = None,
    own: OwnPresets = NO_PRESETS,
) -> tuple[Node, list[Finding]]:
    """A spec's tree with every preset's scalar expanded, and findings of what can't be.

    Args:
        scripts: what presets may include, by file name; None for the newest that loco ships.
        own: the user's own presets, for what to say of them.
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
                rendered[node.value] = _rendered(node.value, included, values)
            return Leaf(rendered[node.value], node.origin, node)
        except Exception as error:  # a template is a program, and may fail in any way
            where = dotted(_path(path), root)
            findings.append(fault(error, node.value, where, node.origin, subject, dict(included), own))
            return node

    return walk(tree, (None, "spec")), findings


def check_templates(own: OwnPresets, scripts: Mapping[str, Script]) -> list[Finding]:
    """What is wrong with the user's own presets and scripts whatever the service, whether one takes them or not."""
    included = tuple(scripts.items())
    findings = []
    for spec in own.specs.values():
        for path, leaf in leaves(spec, ("spec",)):
            if isinstance(leaf, Leaf) and isinstance(leaf.value, str) and "{" in leaf.value:
                for error, _ in _static_errors(leaf.value, included):
                    where = dotted(path, Branch({"spec": spec}, spec.origin))
                    findings.append(fault(error, leaf.value, where, leaf.origin, "", scripts, own))
    for script in own.scripts.values():
        for error, line in _static_errors(script.text, included):
            origin = Origin("presets", script.file, line)
            findings.append(fault(error, script.text, "", origin, "", scripts, own))
    return findings


def _static_errors(text: str, scripts: _Scripts) -> list[tuple[Exception, int | None]]:
    """What compiling a template raises, or else what it names in vain; with lines of the text.

    ``{{ if .X }}`` is Jinja2 too, for the field X of something called if.
    """
    try:
        _compiled(text, scripts)
        included, variables = named_in(_environment(scripts), text)
    except TemplateSyntaxError as error:
        return [(error, error.lineno)]
    except Exception as error:  # such as one nested too deeply
        return [(error, None)]
    missing = [(TemplateNotFound(name), line) for name, line in included if name not in dict(scripts)]
    go = [(UndefinedError(f"'{name}' is undefined"), line) for name, line in variables.items() if name in GO_WORDS]
    return [*missing, *sorted(go, key=lambda found: found[1])[:1]]


def _rendered(text: str, scripts: _Scripts, values: Mapping[str, Any]) -> str:
    """The text that a template makes. Raises whatever the template does, ValueError for too long a text."""
    pieces, length = [], 0
    for piece in _compiled(text, scripts).generate(with_budget(values)):
        pieces.append(piece)
        length += len(piece)
        if length > LONGEST:
            raise ValueError(TOO_LONG)
    made = "".join(pieces)
    if HALF_CHARACTER.search(made):
        raise ValueError("the text holds half a character (a lone surrogate)")
    return made


def _printable(value: object) -> object:
    """What may stand in a text: what looks the same each time. Raises TypeError."""
    if value is None:
        raise TypeError("an expression has no value here (None): say what then, such as {{ value or '' }}")
    if not isinstance(value, str | int | float | list | tuple | dict | Undefined):
        raise TypeError(
            f"an expression gives a {type(value).__name__}, which has no text: its name needs (…), or |list"
        )
    return value


def _path(chain: _Chain) -> Path:
    above, key = chain
    return (*(_path(above) if above is not None else ()), key)


def _word(text: str) -> str:
    """One word of a bash command. Kubernetes reads $(NAME) and $$ in it first, hence each $ in quotes of its own."""
    return shlex.quote(text).replace("$", "'\"$\"'")


@cache
def _environment(scripts: _Scripts) -> Sandbox:
    known = dict(scripts)

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        return (known[name].text, known[name].file, lambda: True) if name in known else None

    environment = Sandbox(
        _printable,
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        comment_start_string="{##",  # bash writes {# in ${#list[@]}
        comment_end_string="##}",
    )
    environment.filters["sh"] = _word
    return environment


@cache
def _compiled(text: str, scripts: _Scripts) -> Template:
    return _environment(scripts).from_string(text)
