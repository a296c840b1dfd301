"""Runs other programs so that an interruption lets them finish in their own way."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from dev.messages import Problem


class Terminated(KeyboardInterrupt):
    """SIGTERM came; unlike with Ctrl-C, our children have not got a signal of their own."""


def turn_sigterm_into_exception() -> None:
    def handler(number: int, frame: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, handler)


def run(command: Sequence[str], env: Mapping[str, str], folder: Path) -> int:
    """Run a program in the foreground. After an interruption wait for it, then pass that on."""
    try:
        process = subprocess.Popen(command, env=dict(env), cwd=folder)
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from error
    interruption: KeyboardInterrupt | None = None
    while True:
        try:
            code = process.wait()
            break
        except Terminated as terminated:
            interruption = terminated
            process.send_signal(signal.SIGINT)
        except KeyboardInterrupt as interrupt:  # the terminal told the child as well
            interruption = interrupt
    if interruption:
        raise interruption
    return code


def ask(command: Sequence[str], env: Mapping[str, str], folder: Path) -> tuple[int, str, str]:
    """Run a program quietly; return its exit code, output and errors."""
    answer = subprocess.run(command, env=dict(env), cwd=folder, capture_output=True, text=True, check=False)
    return answer.returncode, answer.stdout, answer.stderr
