"""Holds a tree against a model and says everything that is wrong with it, at the line where it stands."""

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from loco.model import Finding, Origin
from loco.spec import kubernetes
from loco.spec.tree import Branch, Leaf, Node, Path, Row, at, dotted, nearest

# Where a service's spec holds shapes that Kubernetes defines, and which.
KUBERNETES_SHAPES: tuple[tuple[Path, str], ...] = (
    (("template",), "PodSpec"),
    (("worker",), "PodSpec"),
    (("prefill", "template"), "PodSpec"),
    (("prefill", "worker"), "PodSpec"),
    (("router", "scheduler", "template"), "PodSpec"),
    (("router", "scheduler", "tokenizer", "template"), "PodSpec"),
)

_EXPECTED = {
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


def check_model(
    tree: Node, model: type[BaseModel], *, path: Path = (), subject: str | None = None, root: Node | None = None
) -> list[Finding]:
    """Unknown keys, wrong types and values out of range.

    Args:
        tree: the part to be checked. Nulls (which remove) and ``$`` directives of a merge are passed over.
        model: what it should look like.
        path: where it stands in its document.
        subject: the document, for the message.
        root: the whole document, for reading list items' names; by default ``tree`` itself.
    """
    if not isinstance(tree, Branch):
        return [mistyped(tree, path, "a mapping", subject, root)]
    try:
        model.model_validate(as_layer(tree))
    except ValidationError as error:
        found: dict[tuple[str, str], Finding] = {}
        for detail in error.errors(include_url=False):
            finding = _finding(detail, tree, model, path, subject, root)
            found.setdefault((finding.path, finding.code), finding)
        return list(found.values())
    return []


def check_kubernetes(
    tree: Node, definition: str, *, path: Path, subject: str | None, root: Node | None, complete: bool = False
) -> list[Finding]:
    """The same against a shape of the Kubernetes tables.

    Args:
        complete: also what a finished object must have, such as a container's name; a layer may leave it out.
    """
    plain = as_layer(tree)
    findings = []
    for problem in kubernetes.problems(plain, definition, require=complete, allow_null=not complete):
        where = (*path, *problem.path)
        origin = nearest(tree, problem.path).origin
        if problem.reason == "unknown-key":
            siblings = f"; the nearest known key is {problem.nearest}" if problem.nearest else ""
            findings.append(
                Finding(
                    "LOCO-UNKNOWN-KEY",
                    "error",
                    dotted(where, root),
                    f"Kubernetes {kubernetes.KUBERNETES_VERSION} has no field {where[-1]} here{siblings}",
                    problem.nearest or "a field that Kubernetes has, or remove the line",
                    origin,
                    subject,
                    problem.value,
                )
            )
        elif problem.reason == "type" and isinstance(at(tree, problem.path), Leaf):
            findings.append(mistyped(nearest(tree, problem.path), where, problem.expected, subject, root))
        else:
            code = {"type": "LOCO-TYPE", "duplicate-key": "LOCO-DUPLICATE"}.get(problem.reason, "LOCO-VALUE")
            message = {
                "required": f"{where[-1]} is missing",
                "duplicate-key": "the same name stands twice in this list",
            }.get(problem.reason, f"this isn't {problem.expected}")
            findings.append(
                Finding(code, "error", dotted(where, root), message, problem.expected, origin, subject, problem.value)
            )
    return findings


def mistyped(node: Node, path: Path, expected: str, subject: str | None, root: Node | None) -> Finding:
    """A value of the wrong type; text that YAML took for something else is told how to stay text."""
    value = node.value if isinstance(node, Leaf) else as_layer(node)
    cure = expected
    message = f"this should be {expected}, and is {_kind(node)}"
    if expected in ("text", "a string") and isinstance(node, Leaf) and node.value is not None:
        shown = str(node.value).lower() if isinstance(node.value, bool) else str(node.value)
        cure = f'"{shown}" in quotes'
        message = f"this should be text, and YAML reads it as {_kind(node)}"
    return Finding("LOCO-TYPE", "error", dotted(path, root), message, cure, node.origin, subject, value)


def as_layer(node: Node) -> Any:
    """Plain data without what only a merge reads: null members and ``$`` directives. Indexes stay as they are."""
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Row):
        return [as_layer(item) for item in node.items]
    return {
        key: as_layer(item)
        for key, item in node.items.items()
        if not key.startswith("$") and not (isinstance(item, Leaf) and item.value is None)
    }


def close_to(word: str, known: Iterable[str]) -> str | None:
    """The known word nearest to a mistyped one, if any is near."""
    by_lower = {name.lower().replace("_", "").replace("-", ""): name for name in sorted(known, reverse=True)}
    plain = word.lower().replace("_", "").replace("-", "")
    match = difflib.get_close_matches(plain, by_lower, n=1, cutoff=0.7)
    return by_lower[match[0]] if match else None


def _finding(
    detail: ErrorDetails, tree: Node, model: type[BaseModel], base: Path, subject: str | None, root: Node | None
) -> Finding:
    path = _within(tree, detail["loc"])
    node = nearest(tree, path)
    where = dotted((*base, *path), root)
    kind = detail["type"]
    if kind == "extra_forbidden":
        key = str(path[-1])
        message, cure = _unknown(key, path[:-1], model, base)
        return Finding("LOCO-UNKNOWN-KEY", "error", where, message, cure, node.origin, subject, as_layer(node))
    if kind in _EXPECTED:
        return mistyped(node, (*base, *path), _EXPECTED[kind], subject, root)
    text = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return Finding(
        "LOCO-VALUE",
        "error",
        where,
        f"this value is not allowed here: {text}",
        text,
        node.origin,
        subject,
        as_layer(node),
    )


def _within(tree: Node, loc: tuple[int | str, ...]) -> Path:
    """The error's location without the parts that name a union's member."""
    path: Path = ()
    for key in loc:
        if at(tree, (*path, key)) is None:
            break
        path = (*path, key)
    return path


def _unknown(key: str, parent: Path, model: type[BaseModel], base: Path) -> tuple[str, str]:
    here = _fields(_model_at(model, parent))
    near = close_to(key, here)
    homes = [where for where in _all_paths(model) if where and where[-1] == (near or key) and where[:-1] != parent]
    if near is not None:
        return f"there is no field {key} here; the nearest known key is {near}", near
    if exact := [where for where in homes if where[-1] == key]:
        home = dotted((*base, *min(exact, key=lambda where: (len(where), where))))
        return f"{key} doesn't belong here", f"it as {home}"
    known = ", ".join(sorted(here)) or "none"
    return f"there is no field {key} here", f"one of the known keys: {known}"


def _model_at(model: type[BaseModel] | None, path: Path) -> type[BaseModel] | None:
    for key in path:
        if isinstance(key, str):
            model = _fields(model).get(key)
    return model


@cache
def _fields(model: type[BaseModel] | None) -> dict[str, type[BaseModel] | None]:
    """The keys that a model knows, with the model behind each, if one is."""
    if model is None:
        return {}
    return {info.alias or name: next(_models_in(info.annotation), None) for name, info in model.model_fields.items()}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


@cache
def _all_paths(model: type[BaseModel]) -> tuple[Path, ...]:
    """Every field of a model and of the models below it, without indexes."""

    def walk(at_model: type[BaseModel] | None, path: Path, seen: tuple[type[BaseModel], ...]) -> Iterator[Path]:
        for key, below in _fields(at_model).items():
            yield (*path, key)
            if below is not None and below not in seen:
                yield from walk(below, (*path, key), (*seen, below))

    return tuple(walk(model, (), (model,)))


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


def origin_of(node: Node | None, fallback: Origin) -> Origin:
    """Where a node was written, or the fallback for one that isn't there."""
    return node.origin if node is not None else fallback
