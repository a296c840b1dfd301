"""`make bench`."""

import argparse
import os
import shlex

from dev.commands import children
from dev.commands.checkout import Checkout
from dev.commands.environment import in_venv
from dev.commands.large_platform import GROUPS, measure, table
from dev.commands.venv import ensure_venv
from dev.messages import Problem, WrongUsage


def bench(checkout: Checkout, arguments: str) -> None:
    """Measure what a model and a large platform cost. Never a part of `make test`: a busy machine must not fail a change."""
    options = _options(arguments)
    ensure_venv(checkout)
    code = 0
    if options.only != "large":
        env = {**os.environ, **in_venv(checkout)}
        largest = ["--largest", str(options.largest)] if options.largest else []
        code = children.run([str(checkout.python), "-m", "tests.bench", *largest], env, checkout.root)
    if options.only != "planning" and code in (0, 1):
        measured = measure(checkout, options.groups, together=options.groups == len(GROUPS))
        print(table(measured))
    if code:
        raise Problem("layering costs more than it may; see the table, and docs/benchmarks.md", code)


def _options(arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", exit_on_error=False, add_help=False)
    parser.add_argument("--only", choices=("planning", "large"))
    parser.add_argument("--largest", type=int)
    parser.add_argument("--groups", type=int, choices=range(1, len(GROUPS) + 1), default=len(GROUPS))
    try:
        options, unknown = parser.parse_known_args(shlex.split(arguments))
    except (argparse.ArgumentError, ValueError) as error:
        raise WrongUsage(f"make bench: {error}") from error
    if unknown:
        usage = "ARGS='[--only planning|large] [--largest MODELS] [--groups 1..6]'"
        raise WrongUsage(f"make bench knows no {unknown[0]}; {usage}")
    return options
