"""What this project knows of the stack that serves the models: its outputs, read as data, checked before they are used."""

from collections.abc import Mapping
from typing import Any

import pulumi

VERSION = 1  # of the outputs that this project was written for; additions don't change it


async def outputs_of(stack: str) -> dict[str, Any]:
    """The outputs ``gateways`` and ``models`` of a loco stack.

    Args:
        stack: ``organization/<project>/<stack>``; with Pulumi Cloud the first part is your organisation.

    Raises:
        pulumi.RunError: one of them isn't there, or the outputs are of another version.
    """
    reference = pulumi.StackReference(stack)
    found = {}
    for key in ("version", "gateways", "models"):
        details = await reference.get_output_details(key)
        if details.value is None:
            raise pulumi.RunError(f"the stack {stack} has no output {key}; export ModelServingStack.outputs there")
        found[key] = details.value
    if found["version"] < VERSION:
        raise pulumi.RunError(
            f"the output version of the stack {stack} is {found['version']:g}, and this project reads {VERSION}; "
            "update that stack with a newer loco"
        )
    if found["version"] > VERSION:
        raise pulumi.RunError(
            f"the output version of the stack {stack} is {found['version']:g}, and this project reads {VERSION}; "
            "see what has changed in loco's docs/outputs.md"
        )
    return found


def entry(stack: str, output: str, values: Mapping[str, Any], key: str) -> Any:
    """One entry of an output that is a mapping.

    Raises:
        pulumi.RunError: there is none; the stack, the key and those that are there are named.
    """
    if key not in values:
        there = ", ".join(sorted(values)) or "none"
        raise pulumi.RunError(f"the output {output} of the stack {stack} has no {key}; there is {there}")
    return values[key]
