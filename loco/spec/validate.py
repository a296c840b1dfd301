"""Holds a tree against a model and says everything that is wrong with it, at the line where it stands."""

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from loco.model import Finding, Origin
from loco.spec import kubernetes
from loco.spec.suggest import close_to, kubernetes_suggestion, suggestion
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, dotted, nearest, plain

__all__ = ["as_layer", "check_kubernetes", "check_model", "close_to", "mistyped", "origin_of", "valid_part"]

# Where a service's spec holds shapes that Kubernetes defines, and which.
KUBERNETES_SHAPES: tuple[tuple[Path, str], ...] = (
    (("template",), "PodSpec"),
    (("worker",), "PodSpec"),
    (("prefill", "template"), "PodSpec"),
    (("prefill", "worker"), "PodSpec"),
    (("router", "scheduler", "template"), "PodSpec"),
    (("router", "scheduler", "tokenizer", "template"), "PodSpec"),
    *(
        (path, "HorizontalPodAutoscalerBehavior")
        for scaling in (("scaling",), ("prefill", "scaling"))
        for path in (
            (*scaling, "wva", "hpa", "behavior"),
            (*scaling, "wva", "keda", "advanced", "horizontalPodAutoscalerConfig", "behavior"),
            (*scaling, "keda", "advanced", "horizontalPodAutoscalerConfig", "behavior"),
        )
    ),
)

# The same of a LiteLLM gateway's spec; what stands under a path is one of these, or a list of them.
GATEWAY_SHAPES: tuple[tuple[Path, str], ...] = (
    (("placement", "resources"), "ResourceRequirements"),
    (("placement", "affinity"), "Affinity"),
    (("placement", "tolerations"), "Toleration"),
    (("placement", "topologySpreadConstraints"), "TopologySpreadConstraint"),
    (("autoscaling", "behavior"), "HorizontalPodAutoscalerBehavior"),
    (("database", "migration", "resources"), "ResourceRequirements"),
    (("pod", "containers"), "Container"),
    (("pod", "initContainers"), "Container"),
    (("pod", "volumeMounts"), "VolumeMount"),
    (("pod", "volumes"), "Volume"),
)

# Text of another system's grammar: neither its nulls nor its ``$`` keys mean anything to a merge.
FREE_FORM: frozenset[Path] = frozenset({("router", "scheduler", "config", "inline")})

_PATCH_WORDS = ("merge", "replace", "delete")
_EXPECTED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
}
_LITERAL = re.compile(r"'([^']*)'")
# By pydantic's name of an error: its bound, and how it is said.
_BOUNDS = {
    "greater_than_equal": ("ge", "at least", "more"),
    "less_than_equal": ("le", "at most", "less"),
}
_TOO_FEW = ("too_short", "string_too_short")
_PLAIN_WORDS = {"a string": "text", "an integer": "a whole number", "an integer of 32 bits": "a whole number"}

AnyModel = TypeVar("AnyModel", bound=BaseModel)


def check_model(
    tree: Node,
    model: type[BaseModel],
    *,
    path: Path = (),
    subject: str | None = None,
    root: Node | None = None,
    hints: type[BaseModel] | None = None,
    directives: bool = True,
    partial: bool = False,
) -> list[Finding]:
    """Unknown keys, wrong types and values out of range.

    Args:
        tree: the part to be checked. Nulls (which remove) are passed over.
        model: what it should look like.
        path: where it stands in its document.
        subject: the document, for the message.
        root: the whole document, for reading list items' names; by default ``tree`` itself.
        hints: a model that knows more fields than ``model`` checks, for saying where an unknown key belongs.
        directives: whether a merge's ``$`` directives are passed over too, or unknown like any other key.
        partial: whether fields that must be there may still come from another layer.
    """
    if not isinstance(tree, Branch):
        return [mistyped(tree, path, "a mapping", subject, root)]
    root = tree if root is None and not path else root
    found: dict[tuple[str, str], Finding] = {}
    for detail in _errors(as_layer(tree, directives), model):
        if partial and detail["type"] == "missing":
            continue
        finding = _finding(detail, tree, hints or model, path, subject, root)
        found.setdefault((finding.path, finding.code), finding)
    return list(found.values())


def valid_part(tree: Branch, model: type[AnyModel]) -> AnyModel:
    """The model of a tree without what ``check_model`` has findings about: one fault must not hide the rest."""
    data = as_layer(tree, directives=False)
    while errors := _errors(data, model):
        faulty = {_present(data, error["loc"]) for error in errors}
        for path in sorted(faulty, key=str, reverse=True):
            if any(path[:length] in faulty for length in range(len(path))):
                continue  # it goes with what it stands in
            if not path:  # something is missing that the whole can't be without
                return model.model_validate({})
            parent = data
            for key in path[:-1]:
                parent = parent[key]
            # A list's item leaves a hole that is none of its neighbours' business; the list goes with it.
            if isinstance(path[-1], int):
                parent.clear()
                break
            parent.pop(path[-1], None)
    return model.model_validate(data)


def _present(data: Any, loc: tuple[int | str, ...]) -> Path:
    """The part of an error's location that is there; the rest is missing, or names a union's member."""
    path: Path = ()
    for key in loc:
        inside = isinstance(data, dict) and key in data
        if not inside and not (isinstance(data, list) and isinstance(key, int) and key < len(data)):
            break
        data, path = data[key], (*path, key)
    return path


def check_kubernetes(
    tree: Node,
    definition: str,
    *,
    path: Path,
    subject: str | None,
    root: Node | None,
    complete: bool = False,
    model: type[BaseModel] | None = None,
    directives: bool = True,
) -> list[Finding]:
    """The same against a shape of the Kubernetes tables.

    Args:
        directives: false for an object that nothing is merged with: nulls and ``$`` keys are judged like all else.
        model: of the spec in which a pod stands, for saying where a misplaced key belongs.
        complete: also what a finished object must have, such as a container's name; a layer may leave it out.
    """
    findings = []
    data = as_layer(tree) if directives else plain(tree)
    for problem in kubernetes.problems(data, definition, require=complete, allow_null=not complete):
        where = (*path, *problem.path)
        node = nearest(tree, problem.path)
        if problem.reason == "unknown-key":
            siblings = f"; the nearest known key is {problem.nearest}" if problem.nearest else ""
            message = f"Kubernetes {kubernetes.KUBERNETES_VERSION} has no field {where[-1]} here{siblings}"
            cure = problem.nearest or "a field that Kubernetes has, or remove the line"
            misplaced = (
                kubernetes_suggestion(node, problem.path, path, model) if model and definition == "PodSpec" else None
            )
            message, cure = misplaced or (message, cure)
            code = "LOCO-UNKNOWN-KEY"
        elif problem.reason == "type" or (problem.reason == "value" and problem.value is None):
            findings.append(mistyped(node, where, problem.expected, subject, root))
            continue
        else:
            code = "LOCO-DUPLICATE" if problem.reason == "duplicate-key" else "LOCO-VALUE"
            message = {
                "required": f"{where[-1]} is missing",
                "duplicate-key": f"the same {where[-1]} stands twice in this list",
            }.get(problem.reason, f"this isn't {problem.expected}")
            cure = problem.expected
        findings.append(Finding(code, "error", dotted(where, root), message, cure, node.origin, subject, problem.value))
    return findings


def mistyped(node: Node, path: Path, expected: str, subject: str | None, root: Node | None) -> Finding:
    """A value of the wrong type; text that YAML took for something else is told how to stay text."""
    value = node.value if isinstance(node, Leaf) else as_layer(node)
    cure = expected = _PLAIN_WORDS.get(expected, expected)
    message = f"this should be {expected}, and is {_kind(node)}"
    if expected == "text" and isinstance(node, Leaf) and node.value is not None:
        read = str(node.value).lower() if isinstance(node.value, bool) else str(node.value)
        cure = f'"{node.spelling or read}" in quotes'
        message = f"this should be text, and YAML reads it as {_kind(node)}"
    elif expected == "a mapping" and isinstance(node, Leaf) and isinstance(node.value, str) and ":" in node.value:
        cure = "a mapping: the text as it is, without quotes or |, if it is YAML"
    elif isinstance(node, Leaf) and isinstance(node.value, str) and any(mark in node.value for mark in ("{{", "{%")):
        message += ": a template makes text, and nothing else"
        cure = f"{expected} itself, without a template"
    return Finding("LOCO-TYPE", "error", dotted(path, root), message, cure, node.origin, subject, value)


def check_directives(node: Node, path: Path, subject: str | None, root: Node | None, spec: Path = ()) -> list[Finding]:
    """Directives of a merge that would do nothing: an unknown one, or one with a value that it doesn't take.

    Args:
        spec: the node's path within its spec.
    """
    findings: list[Finding] = []
    if spec in FREE_FORM or isinstance(node, Leaf):
        return findings
    if isinstance(node, Row):
        for index, item in enumerate(node.items):
            findings += check_directives(item, (*path, index), subject, root, (*spec, index))
        return findings
    for key, item in node.items.items():
        if not key.startswith("$"):
            findings += check_directives(item, (*path, key), subject, root, (*spec, key))
            continue
        where, value = dotted((*path, key), root), as_layer(item)
        if key == "$patch":
            words = _PATCH_WORDS if spec else _PATCH_WORDS[:2]
            if value not in words:
                message = f"{key} takes one of {', '.join(words)} here"
                findings.append(
                    Finding("LOCO-VALUE", "error", where, message, f"{key}: replace", item.origin, subject, value)
                )
        elif key != "$retainKeys":
            message = f"there is no directive {key}"
            cure = "$patch: replace, $patch: delete or $retainKeys: [key, …]"
            findings.append(Finding("LOCO-UNKNOWN-KEY", "error", where, message, cure, item.origin, subject, value))
        elif not isinstance(value, list) or not all(isinstance(kept, str) for kept in value):
            findings.append(mistyped(item, (*path, key), "a list of keys", subject, root))
    return findings


def as_layer(node: Node, directives: bool = True) -> Any:
    """Plain data without what only a merge reads: null members and ``$`` directives. Indexes stay as they are."""
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Row):
        return [as_layer(item, directives) for item in node.items]
    return {
        key: as_layer(item, directives)
        for key, item in node.items.items()
        if not (directives and key.startswith("$")) and not (isinstance(item, Leaf) and item.value is None)
    }


def origin_of(node: Node | None, fallback: Origin) -> Origin:
    """Where a node was written, or the fallback for one that isn't there."""
    return node.origin if node is not None else fallback


def _errors(data: Any, model: type[BaseModel]) -> list[ErrorDetails]:
    try:
        model.model_validate(data)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _finding(
    detail: ErrorDetails, tree: Node, model: type[BaseModel], base: Path, subject: str | None, root: Node | None
) -> Finding:
    context = detail.get("ctx", {})
    path = _within(tree, (*detail["loc"], *context.get("place", ())))  # a validator of a whole model knows the field
    node = nearest(tree, path)
    where = dotted((*base, *path), root)
    kind = detail["type"]
    if kind == "extra_forbidden":
        message, cure = suggestion(node, path, base, model)
        return Finding("LOCO-UNKNOWN-KEY", "error", where, message, cure, node.origin, subject, as_layer(node))
    if kind == "missing":
        key = str(detail["loc"][-1])
        where = dotted((*base, *(path if path == detail["loc"] else (*path, key))), root)  # there, and null
        return Finding("LOCO-VALUE", "error", where, f"{key} is missing", f"{key}: …", node.origin, subject)
    if kind in _EXPECTED:
        return mistyped(node, (*base, *path), _EXPECTED[kind], subject, root)
    if kind == "literal_error":
        text = f"one of {', '.join(_LITERAL.findall(str(context['expected'])))}"
        message = f"this should be {text}"
    elif kind in _BOUNDS:
        name, sense, way = _BOUNDS[kind]
        message, text = f"this should be {sense} {context[name]}", f"{context[name]} or {way}"
    elif kind in _TOO_FEW:
        text = f"{context['min_length']} or more"
        message = f"this should hold {text}"
    else:
        text = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
        message = f"this value is not allowed here: {text}"
    return Finding("LOCO-VALUE", "error", where, message, text, node.origin, subject, as_layer(node))


def _within(tree: Node, loc: tuple[int | str, ...]) -> Path:
    """The error's location without the parts that name a union's member."""
    path: Path = ()
    for key in loc:
        if at(tree, (*path, key)) is None:
            break
        path = (*path, key)
    return path


def _kind(node: Node) -> str:
    if isinstance(node, Branch):
        return "a mapping"
    if isinstance(node, Row):
        return "a list"
    value = node.value
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    return f"the number {value}" if isinstance(value, (int, float)) else "text"
