"""`make bench`."""

import os
import shlex

from dev.commands import children
from dev.commands.checkout import Checkout
from dev.commands.environment import in_venv
from dev.commands.venv import ensure_venv
from dev.messages import Problem


def bench(checkout: Checkout, arguments: str) -> None:
    """Measure what a model costs. Never a part of `make test`: a busy machine must not fail a change."""
    ensure_venv(checkout)
    env = {**os.environ, **in_venv(checkout)}
    if code := children.run([str(checkout.python), "-m", "tests.bench", *shlex.split(arguments)], env, checkout.root):
        raise Problem("layering costs more than it may; see the table, and docs/benchmarks.md", code)
