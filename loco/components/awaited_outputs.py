"""The outputs of other stacks of loco, awaited before anything is planned: a spec holds plain values only."""

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime import get_root_resource

from loco.components.organization import check_organization
from loco.model import Finding, Refused
from loco.spec import StackSpec
from loco.spec.models_from import stacks_to_await
from loco.spec.outputs import OUTPUTS, StackOutputs, read_outputs

# By the running stack: the engine takes one resource of a name, and a program may ask for a stack's outputs twice.
_REFERENCES: WeakKeyDictionary[Any, dict[str, pulumi.StackReference]] = WeakKeyDictionary()


class _Package:
    """Stands for the running stack in a component package, whose process serves one run and has no stack of its own."""


_PACKAGE = _Package()


async def stack_outputs(stack: str) -> StackOutputs:
    """The outputs of another stack of loco, checked against the contract of docs/outputs.md.

    For programs, whose ``read_stack`` takes them as ``outputs``; ``stack_from_config`` awaits what ``modelsFrom`` names
    by itself.

    Args:
        stack: ``organization/project/stack``; with a file or bucket as backend the first is the word organization.

    Raises:
        pulumi.RunError: an output is missing, secret, or of another version or form; the text names stack and key.
            The engine itself ends an update that refers to a stack that isn't there.
    """
    try:
        return read_outputs(await raw_outputs(stack), stack)
    except Refused as refused:
        raise pulumi.RunError(str(refused)) from None


async def outputs_of_others(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By stack, the outputs of all that ``modelsFrom`` of a config names; what is wrong with its form is left to reading.

    Raises:
        pulumi.RunError: one of them is secret.
    """
    own = (pulumi.get_project(), pulumi.get_stack())
    return {stack: await raw_outputs(stack) for stack in stacks_to_await(config.get("modelsFrom"), own)}


async def raw_outputs(stack: str) -> dict[str, Any]:
    """Those of the contract's outputs that the stack has, unchecked."""
    check_organization(stack, "modelsFrom")
    known = _REFERENCES.setdefault(get_root_resource() or _PACKAGE, {})
    if stack not in known:
        # Under a name of its own: platform.from, or the program itself, may refer to the same stack.
        known[stack] = pulumi.StackReference(f"outputs/{stack}", stack)
    found = {name: await known[stack].get_output_details(name) for name in OUTPUTS}
    if secret := [name for name, details in found.items() if details.secret_value is not None]:
        message = f"the output {secret[0]} of the stack {stack} is a secret, and a plan holds plain values only"
        cure = "that stack to export what ModelServingStack.outputs holds, without pulumi.Output.secret"
        raise pulumi.RunError(str(Finding("LOCO-REFERENCE", "error", "modelsFrom", message, cure, value=stack)))
    return {name: details.value for name, details in found.items()}


def not_awaited(spec: StackSpec) -> list[Finding]:
    """An error where a program plans without the models of stacks that its config names: their entries would go."""
    if not (awaited := spec.other_models.awaited):
        return []
    message = f"the outputs of {', '.join(awaited)} were not given, and their models would be gone from the gateways"
    cure = "read_stack(…, outputs={NAME: await loco.stack_outputs(NAME)}), or loco.stack_from_config()"
    return [Finding("LOCO-CONFIG", "error", "modelsFrom", message, cure, value=list(awaited))]
