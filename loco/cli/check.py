"""``loco check``: the findings of a plan, printed; with ``--context`` also what it lacks on a cluster."""

import argparse
from collections.abc import Callable
from pathlib import Path

from loco.cli.findings import as_json, show
from loco.cli.source import declare_source, maker_of, project_folder, read_source
from loco.model import Finding, Refused, errors_of
from loco.plan import Plan, plan_stack
from loco.spec import StackSpec

_Ask = Callable[[Plan, StackSpec, Path | None], list[Finding]]


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "check",
        help="print what is wrong with model files or a stack, and what to write instead",
        description="Prints all findings at once. Exit status 1 when one is an error. Contacts nothing, unless a "
        "context is named; then it reads there whether all that the plan counts on is there, and changes nothing.",
    )
    declare_source(parser)
    parser.add_argument("--context", metavar="NAME", help="also ask the cluster of this context of the kubeconfig")
    parser.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="PATH",
        help="with --context (default: the stack's, KUBECONFIG, ~/.kube/config)",
    )
    parser.add_argument(
        "-o", "--output", choices=("text", "json"), default="text", help="json is one array, on standard output"
    )
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if options.kubeconfig and not options.context:
        parser.error("--kubeconfig goes with --context")
    ask = _asker(options.context, parser) if options.context else None
    findings: tuple[Finding, ...]
    try:
        stack = read_source(options, parser)
        plan = plan_stack(stack)
        findings = plan.findings
        if ask:
            findings += tuple(ask(plan, stack, options.kubeconfig or _kubeconfig_of(stack)))
    except Refused as refusal:
        findings = refusal.findings
    if options.output == "json":
        print(as_json(findings))
    else:
        show(findings)
        if not findings:
            print("nothing to say: no errors, no warnings")
    return 1 if errors_of(findings) else 0


def _asker(context: str, parser: argparse.ArgumentParser) -> _Ask:
    """Asks the cluster of the context. Loaded here, because the client is large and not always installed."""
    try:
        from loco.cli.cluster.check import check_against_cluster
        from loco.cli.cluster.kubeconfig import open_cluster
        from loco.cli.cluster.own_secrets import check_own_secrets
        from loco.cli.cluster.reader import Unreachable
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "kubernetes":
            raise
        parser.error("--context needs the official Kubernetes client: pip install 'loco[cluster]'")

    def ask(plan: Plan, stack: StackSpec, kubeconfig: Path | None) -> list[Finding]:
        try:
            reader = open_cluster(context, kubeconfig)
            own = check_own_secrets(plan.credential_uses, maker_of(stack), stack.config_tree, reader)
            return [*own, *check_against_cluster(plan.manifests, reader)]
        except Unreachable as error:
            message = f"the cluster of the context {context} can't be asked: {error}"
            return [Finding("LOCO-UNREACHABLE", "error", "", message, error.cure, value=context)]

    return ask


def _kubeconfig_of(stack: StackSpec) -> Path | None:
    """The stack's own, which is relative to the project's folder, where the engine runs the program."""
    stated = stack.config.cluster.kubeconfig
    return (project_folder() or Path()) / Path(stated).expanduser() if stated else None
