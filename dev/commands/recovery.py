"""Makes a stack usable again after a run that was killed."""

import json
import os
import socket
from pathlib import Path

from dev.cluster.processes import is_alive
from dev.commands.pulumi import Stack
from dev.messages import Problem, say


def release(stack: Stack, backend: Path) -> None:
    """Drop the file backend's lock if its holder is dead; refuse while it is alive."""
    locks = _lock_files(backend, stack.name)
    holders = [_holder(path) for path in locks]
    for pid in holders:
        if pid is not None:
            raise Problem(
                f"stack {stack.name} is in use by process {pid}; wait for it or end it"
                f" (`kill -INT {pid}`), then try again"
            )
    if locks:
        say(f"releasing stack {stack.name}: the run that had locked it is gone")
        stack.cancel()


def forget_pending(stack: Stack) -> None:
    """Settle operations that an interrupted run left open; needs the cluster."""
    pending = stack.pending_operations()
    if pending:
        say(f"an earlier run was interrupted with {pending} open operation(s); refreshing the stack")
        stack.refresh_after_interruption()


def _lock_files(backend: Path, stack: str) -> list[Path]:
    """Find the locks of this stack: `.pulumi/locks/organization/PROJECT/STACK/ID.json`."""
    return sorted((backend / ".pulumi" / "locks").glob(f"**/{stack}/*.json"))


def _holder(lock: Path) -> int | None:
    """Return the live process that holds a lock; None if it is gone."""
    try:
        content = json.loads(lock.read_text())
        pid = int(content["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if content.get("hostname") not in (None, socket.gethostname()):
        raise Problem(f"the stack is locked from host {content['hostname']}; if nothing runs there, remove {lock}")
    return pid if is_alive(pid) and _is_pulumi(pid) else None


def _is_pulumi(pid: int) -> bool:
    """Guard against a number that another program has got since; unknown counts as Pulumi."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("pulumi")
    except OSError:
        return True
