"""Finds and ends the cluster's processes by what they are, not by remembered numbers.

A process belongs to a cluster if its program is one of the parts and one of its arguments lies
in the cluster's state folder. So there are no pid files to go stale: a crash, a reboot or a
killed `make up` leaves nothing that could point at somebody else's process.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    pid: int
    program: Path


def find(folder: Path, programs: Iterable[str]) -> dict[str, list[Process]]:
    """Return the running processes of the cluster in `folder`, by the name of their program."""
    wanted = set(programs)
    found: dict[str, list[Process]] = {}
    for pid, arguments in _processes():
        program = Path(arguments[0]) if arguments else Path()
        inside = any(f"{folder}/" in argument for argument in arguments[1:])
        if program.name in wanted and inside:
            found.setdefault(program.name, []).append(Process(pid, program))
    return found


def find_programs_in(folder: Path) -> list[Process]:
    """Return the processes whose program file lies in `folder`."""
    return [
        Process(pid, Path(arguments[0]))
        for pid, arguments in _processes()
        if arguments and arguments[0].startswith(f"{folder}/")
    ]


def end(processes: Sequence[Process], patience: float = 10.0) -> None:
    """Ask the processes to end, wait for it, and kill what does not listen."""
    _signal(processes, signal.SIGTERM)
    if _wait(processes, patience):
        return
    _signal(processes, signal.SIGKILL)
    _wait(processes, patience)


def _wait(processes: Sequence[Process], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if not any(is_alive(process.pid) for process in processes):
            return True
        time.sleep(0.05)
    return False


def _signal(processes: Sequence[Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that ended but was not yet collected does not."""
    try:
        collected, _ = os.waitpid(pid, os.WNOHANG)
        if collected:
            return False
    except ChildProcessError:
        pass  # not started by this process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def program_name(pid: int) -> str:
    """Return the name of the program that a process runs, "" if there is no such process."""
    return Path(_ps(pid, "comm")).name


def parent_name(pid: int) -> str:
    """Return the name of the program that has started a process, if it still runs."""
    parent = _ps(pid, "ppid")
    return program_name(int(parent)) if parent.isdigit() else ""


def _ps(pid: int, column: str) -> str:
    """Ask for one fact about a process: /proc where there is one, else `ps`."""
    if (PROC / "self" / "stat").exists():
        try:
            name, _, rest = (PROC / str(pid) / "stat").read_text().rpartition(")")
        except OSError:
            return ""
        return name.partition("(")[2] if column == "comm" else rest.split()[1]
    answer = subprocess.run(["ps", "-o", f"{column}=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return answer.stdout.strip()


def _is_zombie(pid: int) -> bool:
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def _processes() -> Iterable[tuple[int, list[str]]]:
    if (PROC / "self" / "cmdline").exists():
        for entry in PROC.iterdir():
            if entry.name.isdigit():
                try:
                    text = (entry / "cmdline").read_bytes()
                except OSError:
                    continue  # it has just ended
                yield int(entry.name), text.decode(errors="replace").rstrip("\0").split("\0")
        return
    listing = subprocess.run(  # macOS: arguments are not told apart, which is enough to look inside
        ["ps", "-axww", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    for line in listing.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        program, _, rest = command.strip().partition(" --")
        yield int(pid), [program, rest]
