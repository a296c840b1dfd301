"""What to say of a preset's template that can't be expanded, and what to write instead."""

import re
from collections.abc import Mapping
from traceback import extract_tb

from jinja2 import TemplateNotFound, TemplateSyntaxError
from jinja2.exceptions import SecurityError, UndefinedError

from loco.layers.go_expression import Insert, read_template
from loco.layers.go_fields import ROOT, fields_of
from loco.layers.go_tokens import Call, Expression, Field, Literal
from loco.layers.sandbox import TOO_LONG
from loco.model import Finding, Origin
from loco.spec import BASE_CONFIG
from loco.spec.presets import OwnPresets, Script

# What begins like a Go template and is no Jinja2: a field, an action, text in backquotes.
_GO = re.compile(r"\{\{-?\s*(?:[a-zA-Z]+\s+\(*)*(?:\.[A-Z]|`)|\{\{-?\s*(?:if|else|end|range|with|define|template)\b")
# Words of Go that Jinja2 takes for variables, which no preset has.
GO_WORDS = frozenset(["ChildName", "else", "end", "if", "index", "kvTransferConfig", "printf", "range", "with"])
_GO_PIECE = re.compile(r"\{\{[^{}]*\}\}")
_IN_JINJA = {
    ".ObjectMeta.Name": "name",
    ".ObjectMeta.Namespace": "namespace",
    ".GlobalConfig.IngressGatewayName": "gateway.name",
    ".GlobalConfig.IngressGatewayNamespace": "gateway.namespace",
    ".GlobalConfig.EnableTLS": "tls",
    ".GlobalConfig.ModelBasedRoutingHeaderName": "routing_header",
    ".GlobalConfig.InferencePoolNamespacedName": "namespace }}/{{ pool_name",
}
_EXAMPLES = "{{ name }}, {{ spec.model.uri }}, {{ child_name('-x') }} or {% if … %}"


def fault(
    error: Exception, text: str, path: str, origin: Origin, subject: str, scripts: Mapping[str, Script], own: OwnPresets
) -> Finding:
    """The finding of one error. What is wrong whatever the service is said of the user's preset or script, once.

    Args:
        error: what expanding or compiling has raised.
        text: the template.
        path: where it stands.
        origin: of the template.
        subject: the service.
        scripts: what presets may include, by file name.
        own: the user's own presets and scripts.
    """
    place = _place(error, origin, scripts)
    name = origin.layer.removeprefix("preset:")
    whatever = isinstance(error, TemplateSyntaxError | TemplateNotFound) or _names_go(error)
    script = next((script for script in own.scripts.values() if script.file == place.file), None)
    message, cure = _reason(error, script.text if script else text, scripts, own)
    if whatever and script is not None:
        where = Origin("presets", place.file, place.line)
        return Finding("LOCO-TEMPLATE", "error", "", f"the script can't be expanded: {message}", cure, where)
    if whatever and name in own.specs:
        subject = f"{BASE_CONFIG}/{name}"
    message = f"the preset's template can't be expanded: {message}"
    return Finding("LOCO-TEMPLATE", "error", path, message, cure, place, subject)


def _place(error: Exception, preset: Origin, scripts: Mapping[str, Script]) -> Origin:
    """The line of the script that an error is in, else the preset's own."""
    files = {script.file for script in scripts.values()}
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename in files]
    return Origin(preset.layer, frames[-1].filename, frames[-1].lineno) if frames else preset


def _reason(error: Exception, text: str, scripts: Mapping[str, Script], own: OwnPresets) -> tuple[str, str]:
    """What an error says, and what to write instead."""
    if isinstance(error, TemplateNotFound):
        listed = ", ".join(sorted(scripts))
        folder = own.folder or "the folder of presets"
        return f"there is no script {error}", f"it at {folder}/scripts/{error}, or the name of one of {listed}"
    if isinstance(error, TemplateSyntaxError | UndefinedError) and (jinja := _instead_of_go(text)) is not None:
        cure = f"{jinja}: presets in a folder are Jinja2; Go expressions belong into {BASE_CONFIG} documents of files"
        return str(error.message), cure
    if isinstance(error, TemplateSyntaxError):
        if str(error.message).startswith("No filter"):
            return str(error.message), "a filter that docs/presets.md lists"
        return str(error.message), "Jinja2 that is whole: each {{ with its }}, each {% if %} with its {% endif %}"
    if isinstance(error, UndefinedError | SecurityError):
        return str(error), "a name that presets may use, as docs/presets.md lists them"
    if isinstance(error, RecursionError):
        return "it includes or calls itself, or nests too deeply", "the template without the circle"
    if isinstance(error, MemoryError):
        return TOO_LONG, "a shorter text"
    return str(error) or type(error).__name__, "an expression that fits the value"


def _instead_of_go(text: str) -> str | None:
    """The Jinja2 of a text's first Go expression, or examples; None for a text that holds none."""
    for piece in _GO_PIECE.findall(text):
        for part in read_template(piece, strict=True):
            if isinstance(part, Insert) and (jinja := _jinja(part.expression)) is not None:
                return f"{{{{ {jinja} }}}}"
    return _EXAMPLES if _GO.search(text) else None


def _names_go(error: Exception) -> bool:
    return isinstance(error, UndefinedError) and str(error) in [f"'{word}' is undefined" for word in GO_WORDS]


def _jinja(expression: Expression) -> str | None:
    """The same in Jinja2, of what most presets say; None of anything else."""
    if isinstance(expression, Call):
        parent, suffix = expression.arguments if len(expression.arguments) == 2 else (None, None)
        if expression.function == "ChildName" and _is_name(parent) and isinstance(suffix, Literal):
            return f"child_name({suffix.value!r})"
        return None
    if not isinstance(expression, Field) or expression.base is not None:
        return None
    written = "." + ".".join(expression.names)
    if written in _IN_JINJA or expression.names[:1] != ("Spec",):
        return _IN_JINJA.get(written)
    keys, shape = ["spec"], fields_of(ROOT)["Spec"][1]
    for name in expression.names[1:]:
        if (found := fields_of(shape).get(name)) is None:
            return None
        key, shape = found
        keys.append(key)
    return ".".join(keys)


def _is_name(expression: Expression | None) -> bool:
    return isinstance(expression, Field) and expression.names == ("ObjectMeta", "Name")
