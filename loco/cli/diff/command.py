"""``loco diff A B``: arguments in, text or JSON out."""

import argparse
import json
import sys
from typing import Any

from loco.cli.diff.comparison import Comparison, compare
from loco.cli.diff.documents import Pair, Side
from loco.cli.diff.shown import shown
from loco.cli.diff.text import as_text
from loco.cli.diff.trees import Difference
from loco.cli.findings import show
from loco.cli.leaves import is_expanded, overrode, stated
from loco.cli.source import read_project
from loco.model import Refused
from loco.plan import plan_stack
from loco.spec.tree import Node


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "diff",
        help="print what differs between two stacks of the project, and which layer says so",
        description="Prints what differs between two stacks of the project: their config, and value by value every "
        "document after merging, each side with layer, file and line. Exit status 0 when both could be compared, "
        "1 when one of them has errors, which go to standard error; the rest is compared all the same.",
    )
    parser.add_argument("first", metavar="A", help="a stack, such as staging: Pulumi.staging.yaml")
    parser.add_argument("second", metavar="B", help="another, such as prod")
    parser.add_argument("--exit-code", action="store_true", help="exit status 1 too when something differs, as in git")
    parser.add_argument(
        "--origins", action="store_true", help="also values that are the same and come from different layers"
    )
    parser.add_argument(
        "--derived", action="store_true", help="list what presets derive from other differences, such as the namespace"
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text", help="json is one object")
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    sides: list[Side] = []
    unread: list[str] = []
    for name in (options.first, options.second):
        try:
            stack = read_project(name, parser, option="")
        except Refused as refusal:
            if name not in unread:
                show(refusal.findings)
            unread.append(name)
            continue
        sides.append(Side(name, stack, plan_stack(stack)))
    if len(sides) < 2:
        return 1
    found = compare(sides[0], sides[1], options.origins)
    for name, errors in dict(zip(found.names, found.errors, strict=True)).items():
        if errors:
            print(f"{name} has errors; what they concern can't be compared:\n", file=sys.stderr)
            show(errors)
    if options.output == "json":
        print(json.dumps(_as_dict(found), indent=2, ensure_ascii=False))
    else:
        print(*as_text(found, options.derived), sep="\n")
    return 1 if any(found.errors) or (options.exit_code and found.count) else 0


def _as_dict(found: Comparison) -> dict[str, Any]:
    return {
        "stacks": list(found.names),
        "errors": [len(errors) for errors in found.errors],
        "config": [_difference(each) for each in found.config],
        "documents": [_pair(pair) for pair in found.documents],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "document": pair.called,
        "onlyIn": pair.only_in,
        "why": pair.why or None,
        "origin": pair.origin.as_dict() if pair.origin else None,
        "differences": [_difference(each) for each in pair.differences],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    """Each side null where that stack doesn't set the value; ``overrode`` from the highest layer to the lowest."""
    what = "order" if difference.order is not None else "origin" if difference.same else "value"
    sides = [_side(node, difference.path) for node in (difference.first, difference.second)]
    return {"path": difference.path, "differs": what, "derived": difference.derived, "sides": sides}


def _side(node: Node | None, path: str) -> dict[str, Any] | None:
    if node is None:
        return None
    return {
        **_shown(node, path),
        "expanded": is_expanded(node),
        "overrode": [_shown(lower, path) for lower in overrode(node)],
    }


def _shown(node: Node, path: str) -> dict[str, Any]:
    found = stated(node)
    return {**found, "value": shown(found["value"], path)}
