"""``loco render``: the manifests of a plan, printed."""

import argparse
import json
import sys

from loco.cli.findings import show
from loco.cli.mermaid import mermaid
from loco.cli.source import declare_source, read_source
from loco.cli.yaml_writer import write_yaml
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
    parser.add_argument(
        "-o",
        "--output",
        choices=("yaml", "json", "mermaid"),
        default="yaml",
        help="json is one array of objects; mermaid a drawing",
    )
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
    if options.output == "mermaid":
        sys.stdout.write(mermaid(plan))
        return 0
    objects = [dict(manifest.data) for manifest in plan.manifests]
    if options.output == "json":
        print(json.dumps(objects, indent=2, ensure_ascii=False))
    else:
        sys.stdout.write(write_yaml(objects))
    return 0
