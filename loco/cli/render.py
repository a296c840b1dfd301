"""``loco render``: the manifests of a plan, printed."""

import argparse
import json
import re
import sys
from typing import Any

import yaml

from loco.cli.findings import show
from loco.cli.source import declare_source, read_source
from loco.model import Refused
from loco.plan import plan_stack


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "render",
        help="print the manifests of model files or of a stack",
        description="Prints the manifests that a plan holds; findings go to standard error. Secrets have no data.",
    )
    declare_source(parser)
    parser.add_argument("-o", "--output", choices=("yaml", "json"), default="yaml", help="json is one array of objects")
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    try:
        plan = plan_stack(read_source(options, parser))
    except Refused as refusal:
        show(refusal.findings)
        return 1
    show(plan.findings)
    if plan.errors:
        return 1
    objects = [dict(manifest.data) for manifest in plan.manifests]
    if options.output == "json":
        print(json.dumps(objects, indent=2, ensure_ascii=False))
    else:
        yaml.dump_all(objects, sys.stdout, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return 0


class _Dumper(yaml.SafeDumper):
    """Plain YAML for people: scripts as blocks, no aliases, lists indented."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    if _READ_AS_SOMETHING_ELSE.fullmatch(value) or _ODD_LINE_ENDS.search(value):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


# Readers of YAML 1.1 and 1.2 disagree on what ends a line.
_ODD_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
# Text that PyYAML takes for text, and some other reader (kubectl, YAML 1.2) for a boolean or a number.
_READ_AS_SOMETHING_ELSE = re.compile(
    r"[yYnN]|[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?0[xob][0-9a-fA-F_]+|[-+]\.inf"
)

_Dumper.add_representer(str, _text)
