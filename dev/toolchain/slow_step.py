"""Runs a command that takes minutes: log in a file, a line every 15 seconds, the log's end on failure."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from dev.messages import Problem, duration, say

EVERY = 15.0
TAIL_LINES = 15


def run_slowly(
    what: str, command: Sequence[str], log: Path, folder: Path, env: Mapping[str, str] | None = None
) -> None:
    """Run `command` with its output in `log`. Its children end with it, also on Ctrl-C."""
    log.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(env) if env is not None else None,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise Problem(f"{what}: cannot run {command[0]}: {error.strerror}") from error
        try:
            code = _wait(process, what, begin)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
    if code:
        raise Problem(f"{what} failed (exit code {code}):\n{tail(log)}\nthe whole log: {log}")


def _wait(process: "subprocess.Popen[bytes]", what: str, begin: float) -> int:
    while True:
        try:
            return process.wait(timeout=EVERY)
        except subprocess.TimeoutExpired:
            say(f"  ... {what}: {duration(time.monotonic() - begin)}")


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """Return the last lines of a log, indented; says so when there are none."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        text = ""
    last = text.splitlines()[-lines:] or ["(the log is empty)"]
    return "\n".join(f"    {line}" for line in last)
