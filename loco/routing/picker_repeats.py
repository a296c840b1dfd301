"""Flags of the endpoint picker that stand there twice: the preset's in the command, the user's in the arguments.

The last of a name counts, so a user's takes the place of the preset's while the pool, its Service and the probes go
on by what they were made from.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import PICKER_TEMPLATE, in_template
from loco.routing.picker_flags import last_value_of
from loco.spec.tree import Path

_PORTS = {"grpc-port": "grpc", "grpc-health-port": "grpc-health"}


def contradicting_flags(picker: Mapping[str, Any], number: int, resolved: Resolved) -> list[Finding]:
    """An error for each flag by which the picker would serve another pool, or at a port that nobody calls.

    ``picker`` is container ``number`` of its pod. A flag that only repeats the preset's value is none.
    """
    return [
        in_template(
            resolved, ("containers", number, *where), message, cure, place=PICKER_TEMPLATE, value=f"--{flag} {value}"
        )
        for flag, value, where, message, cure in _problems(picker, resolved)
    ]


def _problems(picker: Mapping[str, Any], resolved: Resolved) -> Iterator[tuple[str, str, Path, str, str]]:
    own = {"pool-name": names.inference_pool(resolved.name), "pool-namespace": resolved.namespace}
    for flag, wanted in own.items():
        found = _last(picker, flag)
        if found is not None and found[0] != wanted:
            message = (
                f"the service's pool is {resolved.namespace}/{own['pool-name']}, and the picker would serve another"
            )
            yield flag, *found, message, f"the arguments without --{flag}; another pool by router.scheduler.pool.ref"
    for flag, called in _PORTS.items():
        found = _last(picker, flag)
        listed = [str(port.get("containerPort")) for port in picker.get("ports") or [] if port.get("name") == called]
        if found is not None and listed and found[0] not in listed:
            message = f"the container's port {called} is {listed[0]}, where the pool and the probes find the picker"
            yield flag, *found, message, f"the arguments without --{flag}, or the port {called} with this number"


def _last(picker: Mapping[str, Any], flag: str) -> tuple[str, Path] | None:
    """The value that counts, and where it stands within the container."""
    for field in ("args", "command"):
        found = last_value_of([str(word) for word in picker.get(field) or []], flag)
        if found is not None:
            return found[0], (field, found[1])
    return None
