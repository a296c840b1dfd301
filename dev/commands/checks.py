"""`make test` and `make lint`."""

import os
import shlex
import shutil
import tempfile
from pathlib import Path

from dev.cluster.parts import PROGRAMS
from dev.cluster.processes import end, find
from dev.commands import children
from dev.commands.checkout import Checkout
from dev.commands.embedded import prepare
from dev.commands.environment import in_venv
from dev.commands.venv import ensure_venv
from dev.messages import Problem, say

# The fast tests side by side; then the ones with engine and cluster, of which each worker has its own. These go file by
# file, in the order of tests/conftest.py: the plugin's own order, most tests first, starts the longest files last.
_EVERYTHING = [
    ["-n", "auto", "-m", "not e2e"],
    ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "e2e"],
]


def test(checkout: Checkout, arguments: str) -> None:
    """Run the tests, the fast ones first; whatever clusters they leave behind are ended, also after an interruption."""
    prepare(checkout)
    folder = Path(tempfile.mkdtemp(prefix="loco-test-")).resolve()
    command = [str(checkout.python), "-m", "pytest", "-ra", "--durations=10"]
    env = {**os.environ, **in_venv(checkout), "LOCO_TOOLS_BIN": str(checkout.bin)}
    runs = [shlex.split(arguments)] if arguments else _EVERYTHING
    code = 0
    try:
        for number, chosen in enumerate(runs):
            # Both run to their end: one failure must not hide another.
            code = (
                children.run([*command, "--basetemp", str(folder / f"run{number}"), *chosen], env, checkout.root)
                or code
            )
    finally:
        left = [one for some in find(folder, PROGRAMS).values() for one in some]
        if left:
            say(f"ending {len(left)} processes that the tests left behind")
            end(left)
    if code:
        raise Problem(f"tests failed; their files are in {folder}", code)
    shutil.rmtree(folder, ignore_errors=True)


def lint(checkout: Checkout) -> None:
    ensure_venv(checkout)
    env = {**os.environ, **in_venv(checkout)}
    failed = []
    # Each example is a program of its own; their files share names.
    examples = sorted(
        path.parent for path in (checkout.root / "examples").rglob("__main__.py") if ".venv" not in path.parts
    )
    types = [["mypy"], *(["mypy", str(example.relative_to(checkout.root))] for example in examples)]
    for command in (["ruff", "check"], ["ruff", "format", "--check"], *types):
        say("$ " + " ".join(command))
        program = str(checkout.venv / "bin" / command[0])
        if children.run([program, *command[1:]], env, checkout.root):
            failed.append(" ".join(command))
    if failed:
        raise Problem(f"complaints from: {', '.join(failed)}")
