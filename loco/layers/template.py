"""Templates in presets, expanded scalar by scalar over the merged spec, after merging.

Presets are Jinja2, in a sandbox where an undefined name is an error and only the names below exist. Text of a
service or a base config is never Jinja2; KServe's own expressions in it have been expanded before.
"""

import shlex
from collections.abc import Callable, Mapping
from functools import cache
from traceback import extract_tb
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, Template, TemplateNotFound, TemplateSyntaxError, Undefined
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from loco.layers.catalog import NEWEST
from loco.layers.catalog import scripts as shipped_scripts
from loco.model import Finding, Origin
from loco.spec.presets import Script
from loco.spec.tree import HALF_CHARACTER, LARGEST, Branch, Leaf, Node, Path, Row, dotted

_LONGEST = 2**20  # characters; an API server takes objects of 1.5 MiB
_TOO_LONG = f"the text has more than {_LONGEST} characters"
_HIGHEST_POWER = 64

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
                rendered[node.value] = _rendered(node.value, included, values)
            return Leaf(rendered[node.value], node.origin, node)
        except Exception as error:  # a template is a program, and may fail in any way
            reason, cure = _reason(error)
            findings.append(
                Finding(
                    "LOCO-TEMPLATE",
                    "error",
                    dotted(_path(path), root),
                    f"the preset's template can't be expanded: {reason}",
                    cure,
                    _origin(error, node.origin, included),
                    subject,
                )
            )
            return node

    return walk(tree, (None, "spec")), findings


def _rendered(text: str, scripts: _Scripts, values: Mapping[str, Any]) -> str:
    """The text that a template makes. Raises whatever the template does, ValueError for too long a text."""
    pieces, length = [], 0
    for piece in _compiled(text, scripts).generate(values):
        pieces.append(piece)
        length += len(piece)
        if length > _LONGEST:
            raise ValueError(_TOO_LONG)
    made = "".join(pieces)
    if HALF_CHARACTER.search(made):
        raise ValueError("the text holds half a character (a lone surrogate)")
    return made


def _reason(error: Exception) -> tuple[str, str]:
    """What an error says, and what to write instead."""
    if isinstance(error, TemplateNotFound):
        return f"there is no script {error}", "the file name of one in the folder scripts"
    if isinstance(error, TemplateSyntaxError):
        return str(error.message), "Jinja2 that is whole: each {{ with its }}, each {% if %} with its {% endif %}"
    if isinstance(error, UndefinedError | SecurityError):
        return str(error), "a name that presets may use"
    if isinstance(error, RecursionError):
        return "it includes or calls itself, or nests too deeply", "the template without the circle"
    if isinstance(error, MemoryError):
        return _TOO_LONG, "a shorter text"
    return str(error) or type(error).__name__, "an expression that fits the value"


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


def _origin(error: Exception, preset: Origin, scripts: _Scripts) -> Origin:
    """The line of the script that an error is in, else the preset's own."""
    files = {script.file for _, script in scripts}
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename in files]
    return Origin(preset.layer, frames[-1].filename, frames[-1].lineno) if frames else preset


def _word(text: str) -> str:
    """One word of a bash command. Kubernetes reads $(NAME) and $$ in it first, hence each $ in quotes of its own."""
    return shlex.quote(text).replace("$", "'\"$\"'")


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox in which a slip of the pen doesn't take all memory."""

    intercepted_binops = frozenset(["*", "**"])

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" and not (abs(right) <= _HIGHEST_POWER and abs(left) < LARGEST):
            raise ValueError(f"a power above {_HIGHEST_POWER}")
        for text, times in ((left, right), (right, left)):
            repeats = operator == "*" and isinstance(times, int) and isinstance(text, str | list | tuple)
            if repeats and len(text) * times > _LONGEST:
                raise ValueError(_TOO_LONG)
        return super().call_binop(context, operator, left, right)


@cache
def _environment(scripts: _Scripts) -> ImmutableSandboxedEnvironment:
    known = dict(scripts)

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        return (known[name].text, known[name].file, lambda: True) if name in known else None

    environment = _Environment(
        finalize=_printable,
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
    del environment.filters["random"]  # the same input, the same bytes
    return environment


@cache
def _compiled(text: str, scripts: _Scripts) -> Template:
    return _environment(scripts).from_string(text)
