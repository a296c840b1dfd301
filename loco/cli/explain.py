"""``loco explain``: the merged spec of one document, and for every value of it who wrote it and what it overrode."""

import argparse
import json
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from loco.cli.findings import show
from loco.cli.leaves import Entry, entries, is_expanded, is_value, members, merged_tree, overrode
from loco.cli.source import declare_source, read_source, refuse_name_for_file
from loco.cli.value_text import as_json_line, place, short, shortened
from loco.layers import enabled
from loco.model import Finding, Refused
from loco.plan import plan_stack
from loco.spec import BASE_CONFIG, SERVICE, Document, StackSpec
from loco.spec.suggest import close_to
from loco.spec.tree import Branch, Leaf, Node, Row, plain

_FILE_ENDS = (".yaml", ".yml")  # no service's name has a dot
_COMMENT_COLUMN = 64
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_STEP = re.compile(rf'\[("(?:[^"\\]|{_ESCAPE})*")\]|\[([^\]]*)\]|\.?([^.\[\]]+)')


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
    tree = merged_tree(document, stack, plan)
    found = _find(tree, options.path or "spec", document.subject) if tree is not None else None
    show([*plan.findings, found] if isinstance(found, Finding) else plan.findings)
    if found is None or isinstance(found, Finding):
        return 1
    if options.output == "json":
        values = [entry.as_dict() for entry in entries(found.node, found.path)]
        print(json.dumps(values, indent=2, ensure_ascii=False))
        return 0
    one_value = options.path and is_value(found.node)
    print(f"# {document.subject}" + (f": {found.path}" if one_value else ""))
    if not options.path:
        services = [service for service in plan.resolved if service.subject == document.subject]
        print(*(f"# {config}\n" for service in services for config in service.applied), sep="", end="")
    print(*(_history(found) if one_value else _tree(f"{found.path}:", found.node)), sep="\n")
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


def _addresses(node: Node) -> dict[str, tuple[str, Node]]:
    """The same by every word that means it: a mapping's key, an item's name or index."""
    below = members(node)
    if isinstance(node, Branch):
        return dict(zip(node.items, below, strict=True))
    by_name = {step[1:-1]: (step, item) for step, item in below}
    return by_name | {str(index): member for index, member in enumerate(below)}


def _history(found: Entry) -> Iterator[str]:
    """One line for each layer that set the value, from low to high; text of several lines follows its own."""
    nodes = [*reversed(overrode(found.node)), found.node]
    marks = [""] * len(nodes)
    if is_expanded(found.node):
        marks[-2:] = ["  (template)", "  (expanded)"]
    heads = _columns([(node.origin.layer, place(node.origin)) for node in nodes])
    for node, head, mark in zip(nodes, heads, marks, strict=True):
        text = node.value if isinstance(node, Leaf) and isinstance(node.value, str) else ""
        if len(lines := text.splitlines()) < 2:
            yield f"{head}{as_json_line(plain(node))}{mark}"
        else:
            yield f"{head}{len(lines)} lines{mark}"
            yield from (f"    | {line if line.isprintable() else as_json_line(line)[1:-1]}" for line in lines)


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    first, second = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [f"{left:<{first}}  {right:<{second}}  " for left, right in rows]


def _tree(head: str, node: Node) -> Iterator[str]:
    """The tree in the form of YAML, the provenance as comments."""
    for text, note in _with_head(head, node):
        yield f"{text:<{_COMMENT_COLUMN}}  # {note}" if note else text


def _with_head(head: str, node: Node) -> Iterator[tuple[str, str]]:
    if is_value(node):
        yield f"{head} {short(node)}", _note(node)
        return
    yield head, _note(node) if overrode(node) else ""
    for text, note in _below(node):
        yield f"  {text}", note


def _below(node: Node) -> Iterator[tuple[str, str]]:
    """Lines of what stands under a mapping or list."""
    if isinstance(node, Branch):
        for key, item in node.items.items():
            yield from _with_head(f"{key if _PLAIN_KEY.fullmatch(key) else as_json_line(key)}:", item)
    elif isinstance(node, Row):
        for item in node.items:
            lines = [(short(item), _note(item))] if is_value(item) else _below(item)
            for number, (text, note) in enumerate(lines):
                yield f"{'  ' if number else '- '}{text}", note


def _note(node: Node) -> str:
    """Where a value comes from and what it overrode."""
    below = overrode(node)
    words = [str(node.origin)]
    if is_expanded(node):
        words.append(f"expanded from {shortened(below.pop(0))}")
    words += [f"overrode {shortened(lower)} of {lower.origin}" for lower in below]
    return "; ".join(words)
