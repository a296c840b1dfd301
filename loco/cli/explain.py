"""``loco explain``: the merged spec of one document, and for every value of it who wrote it and what it overrode."""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from loco.cli.findings import show
from loco.cli.source import declare_source, read_source, refuse_name_for_file
from loco.layers import Layered, Resolved, enabled, layer
from loco.model import Finding, Origin, Refused
from loco.plan import Plan, plan_stack
from loco.spec import BASE_CONFIG, SERVICE, Document, StackSpec
from loco.spec.document import SPEC_OF
from loco.spec.suggest import close_to
from loco.spec.tree import Branch, Leaf, Node, Row, child, dotted, plain

_FILE_ENDS = (".yaml", ".yml")  # no service's name has a dot
_COMMENT_COLUMN = 64
_LONGEST_OVERRODE = 60
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_STEP = re.compile(rf'\[("(?:[^"\\]|{_ESCAPE})*")\]|\[([^\]]*)\]|\.?([^.\[\]]+)')


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the merged tree.

    Attributes:
        path: as ``loco explain`` takes it.
        node: a scalar, an empty mapping or list, or a list that replaced another as a whole.
    """

    path: str
    node: Node

    def as_dict(self) -> dict[str, object]:
        """The form that ``loco explain -o json`` prints; ``overrode`` from the highest layer to the lowest."""
        overrode = [_stated(node) for node in _overrode(self.node)]
        return {"path": self.path, **_stated(self.node), "expanded": _is_expanded(self.node), "overrode": overrode}


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "explain",
        usage="loco explain FILE… [SERVICE [PATH]] [options]\n       loco explain --stack NAME [SERVICE [PATH]] [options]",
        help="print who wrote each value of a merged spec, and what it overrode",
        description="Prints the merged spec of one document as a tree; with a PATH the history of that value, from the "
        "lowest layer to the highest, or the tree below it. The first argument is a FILE unless --stack is there, and "
        "so are those after it that end in .yaml or .yml. Findings go to standard error; to judge them is check's.",
        epilog="SERVICE: name, NAMESPACE/NAME or KIND/NAMESPACE/NAME; needed where there are several. "
        "PATH: such as template.containers[main].image, list items by name or index.",
    )
    declare_source(parser)
    parser.add_argument("--service", metavar="SERVICE", help="the same as the argument")
    parser.add_argument("--path", metavar="PATH", help="the same as the argument; goes without a SERVICE too")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text", help="json is one array of values")
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    _split_arguments(options, parser)
    if options.files:
        words = [str(options.files[0]), *(word for word in (options.service, options.path) if word is not None)]
        refuse_name_for_file(words, _FILE_ENDS, parser)
    try:
        stack = read_source(options, parser)
    except Refused as refusal:
        show(refusal.findings)
        return 1
    plan = plan_stack(stack)
    document = _chosen(stack, options.service, parser)
    if isinstance(document, Finding):
        # Where nothing could be read, what stands in the way of it has been said.
        unread = not stack.complete and not stack.documents
        show(plan.findings if unread else [*plan.findings, document])
        return 1
    tree = _tree_of(document, stack, plan)
    found = _find(tree, options.path or "spec", document.subject) if tree is not None else None
    show([*plan.findings, found] if isinstance(found, Finding) else plan.findings)
    if found is None or isinstance(found, Finding):
        return 1
    if options.output == "json":
        entries = [entry.as_dict() for entry in _entries(found.node, found.path)]
        print(json.dumps(entries, indent=2, ensure_ascii=False))
        return 0
    is_value = options.path and _is_value(found.node)
    print(f"# {document.subject}" + (f": {found.path}" if is_value else ""))
    if not options.path:
        services = [service for service in plan.resolved if service.subject == document.subject]
        print(*(f"# {config}\n" for service in services for config in service.applied), sep="", end="")
    print(*(_history(found) if is_value else _tree(f"{found.path}:", found.node)), sep="\n")
    return 0


def _split_arguments(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Files, service and path from the arguments, which argparse can't tell apart."""
    words: list[Path] = options.files
    first = 0 if options.stack else 1
    files = [*words[:first], *takewhile(lambda word: word.suffix in _FILE_ENDS, words[first:])]
    rest = [str(word) for word in words[len(files) :]]
    for name in ("service", "path"):
        if rest and getattr(options, name) is None:
            setattr(options, name, rest.pop(0))
    if rest:
        parser.error(f"one SERVICE and one PATH; what is {' '.join(rest)}?")
    options.files = files


def _chosen(stack: StackSpec, name: str | None, parser: argparse.ArgumentParser) -> Document | Finding:
    """The document of that name, or the only one. Of documents alike in name the service is meant."""
    known = [document for document in stack.documents if document.kind != BASE_CONFIG]
    fitting = [d for d in known if name in (None, d.name, f"{d.namespace}/{d.name}", f"{d.kind}/{d.name}", d.subject)]
    services = [document for document in fitting if document.kind == SERVICE]
    if len(services or fitting) == 1:
        [document] = services or fitting
        if enabled(document, stack):
            return document
        message, cure = f"an override switches {document.subject} off", "the override without enabled: false"
        return Finding("LOCO-REFERENCE", "error", "", message, cure, document.origin, document.subject)
    short = [document.name for document in known]
    listed = ", ".join(d.name if short.count(d.name) == 1 else d.subject for d in fitting or known)
    if fitting:
        several = f"several documents are called {name}" if name else "there are several documents"
        parser.error(f"{several}; name one as SERVICE: {listed}")
    message = f"no document is called {name}" if name else "there is no document to explain"
    message += "" if stack.complete else " among those that could be read"
    near = f"{close}; " if name and (close := close_to(name.rpartition("/")[2], short)) else ""
    cure = f"{near}known are {listed}" if known else "files with a document of a known kind"
    return Finding("LOCO-REFERENCE", "error", "", message, cure)


def _tree_of(document: Document, stack: StackSpec, plan: Plan) -> Node | None:
    """Spec and metadata after layering; None where an error stands in the way, which is then among the findings."""
    found: Resolved | Layered[Any] | None
    if document.kind == SERVICE:
        found = next((service for service in plan.resolved if service.subject == document.subject), None)
    else:
        found, _ = layer(document, stack, SPEC_OF[document.kind])
    return Branch({"spec": found.tree, "metadata": found.metadata}, found.origin) if found is not None else None


def _find(root: Node, text: str, subject: str) -> Entry | Finding:
    """What stands at a path: below ``spec`` unless it says otherwise. A finding where nothing does."""
    steps = [json.loads(quoted, strict=False) if quoted else item or word for quoted, item, word in _STEP.findall(text)]
    if steps[:1] not in (["spec"], ["metadata"]):
        steps.insert(0, "spec")
    node, path, exact = root, "", not _STEP.sub("", text)
    while steps:
        known = _addresses(node)
        taken = next((n for n in range(len(steps), 0, -1) if ".".join(steps[:n]) in known), 0)  # nvidia.com/gpu is two
        key = ".".join(steps[:taken]) if taken else close_to(steps[0], known)
        exact = exact and taken > 0
        if key is None:
            break
        step, node = known[key]
        path, steps = path + (step if path else step[1:]), steps[taken or 1 :]
    if exact and not steps:
        return Entry(path, node)
    message = f"no layer sets {text}; the nearest path that is set is {path}"
    return Finding("LOCO-REFERENCE", "error", text, message, path, node.origin, subject)


def _members(node: Node) -> list[tuple[str, Node]]:
    """What stands under a node, each with the step of a path that leads there: ``.key``, ``["a.b"]``, ``[name]``."""
    if isinstance(node, Branch):
        return [(dotted(("x", key))[1:], item) for key, item in node.items.items()]
    if isinstance(node, Leaf):
        return []
    names = [_name_of(item) for item in node.items]
    return [
        (f"[{name if name and names.count(name) == 1 else index}]", item)
        for index, (name, item) in enumerate(zip(names, node.items, strict=True))
    ]


def _addresses(node: Node) -> dict[str, tuple[str, Node]]:
    """The same by every word that means it: a mapping's key, an item's name or index."""
    members = _members(node)
    if isinstance(node, Branch):
        return dict(zip(node.items, members, strict=True))
    by_name = {step[1:-1]: (step, item) for step, item in members}
    return by_name | {str(index): member for index, member in enumerate(members)}


def _name_of(item: Node) -> str | None:
    """The name of a list's item, where no index looks like it and a path can hold it."""
    name = child(item, "name")
    text = name.value if isinstance(name, Leaf) else None
    return text if isinstance(text, str) and text and not text.isdigit() and not set(text) & set('[]"') else None


def _entries(node: Node, path: str) -> Iterator[Entry]:
    """Every value at or below a node, in document order."""
    if _is_value(node) or _overrode(node):
        yield Entry(path, node)
    for step, item in _members(node):
        yield from _entries(item, path + step)


def _is_value(node: Node) -> bool:
    return isinstance(node, Leaf) or not node.items


def _overrode(node: Node) -> list[Node]:
    """What a node took the place of, from the highest layer to the lowest; an expanded one first of its template."""
    chain: list[Node] = []
    while not isinstance(node, Branch) and node.overrode is not None:
        node = node.overrode
        chain.append(node)
    return chain


def _is_expanded(node: Node) -> bool:
    """Whether the merge's own value was a template: it has the place of the text that it was."""
    template = node.overrode if isinstance(node, Leaf) else None
    is_text = isinstance(template, Leaf) and isinstance(template.value, str) and "{" in template.value
    return is_text and template is not None and template.origin is node.origin


def _stated(node: Node) -> dict[str, object]:
    return {"value": plain(node), **node.origin.as_dict()}


def _history(found: Entry) -> Iterator[str]:
    """One line for each layer that set the value, from low to high; text of several lines follows its own."""
    nodes = [*reversed(_overrode(found.node)), found.node]
    marks = [""] * len(nodes)
    if _is_expanded(found.node):
        marks[-2:] = ["  (template)", "  (expanded)"]
    heads = _columns([(node.origin.layer, _place(node.origin)) for node in nodes])
    for node, head, mark in zip(nodes, heads, marks, strict=True):
        text = node.value if isinstance(node, Leaf) and isinstance(node.value, str) else ""
        if len(lines := text.splitlines()) < 2:
            yield f"{head}{_json(plain(node))}{mark}"
        else:
            yield f"{head}{len(lines)} lines{mark}"
            yield from (f"    | {line if line.isprintable() else _json(line)[1:-1]}" for line in lines)


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    first, second = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [f"{left:<{first}}  {right:<{second}}  " for left, right in rows]


def _place(origin: Origin) -> str:
    return "-" if origin.file is None else origin.file if origin.line is None else f"{origin.file}:{origin.line}"


def _tree(head: str, node: Node) -> Iterator[str]:
    """The tree in the form of YAML, the provenance as comments."""
    for text, note in _with_head(head, node):
        yield f"{text:<{_COMMENT_COLUMN}}  # {note}" if note else text


def _with_head(head: str, node: Node) -> Iterator[tuple[str, str]]:
    if _is_value(node):
        yield f"{head} {_short(node)}", _note(node)
        return
    yield head, _note(node) if _overrode(node) else ""
    for text, note in _below(node):
        yield f"  {text}", note


def _below(node: Node) -> Iterator[tuple[str, str]]:
    """Lines of what stands under a mapping or list."""
    if isinstance(node, Branch):
        for key, item in node.items.items():
            yield from _with_head(f"{key if _PLAIN_KEY.fullmatch(key) else _json(key)}:", item)
    elif isinstance(node, Row):
        for item in node.items:
            lines = [(_short(item), _note(item))] if _is_value(item) else _below(item)
            for number, (text, note) in enumerate(lines):
                yield f"{'  ' if number else '- '}{text}", note


def _note(node: Node) -> str:
    """Where a value comes from and what it overrode."""
    below = _overrode(node)
    words = [str(node.origin)]
    if _is_expanded(node):
        words.append(f"expanded from {_shortened(below.pop(0))}")
    words += [f"overrode {_shortened(lower)} of {lower.origin}" for lower in below]
    return "; ".join(words)


def _short(node: Node) -> str:
    """A value as JSON, of text of several lines the first."""
    value = plain(node)
    lines = value.splitlines() if isinstance(value, str) else []
    return _json(value) if len(lines) < 2 else f"{_json(lines[0])} … {len(lines)} lines"


def _shortened(node: Node) -> str:
    return text if len(text := _short(node)) <= _LONGEST_OVERRODE else text[: _LONGEST_OVERRODE - 1] + "…"


def _json(value: object) -> str:
    """On one line, with nothing in it that would move a terminal's cursor."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
