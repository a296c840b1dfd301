"""``loco check``: the findings of a plan, printed."""

import argparse

from loco.cli.findings import as_json, show
from loco.cli.source import declare_source, read_source
from loco.model import Finding, Refused, errors_of
from loco.plan import plan_stack


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "check",
        help="print what is wrong with model files or a stack, and what to write instead",
        description="Prints all findings at once. Exit status 1 when one is an error.",
    )
    declare_source(parser)
    parser.add_argument(
        "-o", "--output", choices=("text", "json"), default="text", help="json is one array, on standard output"
    )
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    findings: tuple[Finding, ...]
    try:
        findings = plan_stack(read_source(options, parser)).findings
    except Refused as refusal:
        findings = refusal.findings
    if options.output == "json":
        print(as_json(findings))
    else:
        show(findings)
        if not findings:
            print("nothing to say: no errors, no warnings")
    return 1 if errors_of(findings) else 0
