"""Makes a stack usable again after a run that was killed."""

import json
import socket
from pathlib import Path

from dev.cluster import Cluster
from dev.cluster.processes import end, find_programs_in, is_alive, parent_name, program_name
from dev.commands.half_made import delete_half_made
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


def end_orphans(pulumi_home: Path) -> None:
    """End the plugins of a Pulumi that was killed: they may wait for minutes, with nobody to tell."""
    plugins = find_programs_in(pulumi_home)
    end([plugin for plugin in plugins if not parent_name(plugin.pid).startswith("pulumi")], patience=3)


def forget_pending(stack: Stack, embedded: Cluster | None = None) -> None:
    """Settle operations that an interrupted run left open; needs the cluster."""
    pending = stack.pending_operations()
    if pending:
        say(f"an earlier run was interrupted with {len(pending)} open operation(s); refreshing the stack")
        if embedded:
            delete_half_made(embedded.client(), pending)
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
    # The number may belong to another program by now.
    return pid if is_alive(pid) and program_name(pid).startswith("pulumi") else None
