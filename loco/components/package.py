"""loco for programs in other languages: a provider of one remote component, which is the Python component itself.

So the resources have the same URNs whatever language the program is in, and a stack may go from one to another.
"""

import json
import sys
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pulumi
from pulumi.provider import ConstructResult, Provider, main

from loco.components.awaited_outputs import outputs_of_others
from loco.components.findings import refuse
from loco.components.model_serving_stack import ModelServingStack
from loco.components.other_stacks import with_platform
from loco.components.package_arguments import Arguments, read_arguments
from loco.components.package_schema import OUTPUTS, TOKEN, schema
from loco.spec import StackSpec, read_stack


def serve() -> None:
    """Serves the package to the engine until it is no longer needed."""
    main(Package(), sys.argv[1:])


class Package(Provider):
    """Makes a ModelServingStack of plain arguments."""

    def __init__(self) -> None:
        super().__init__(version("loco"), json.dumps(schema()))

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, pulumi.Input[Any]],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """The component, once its arguments are known; see ``Provider.construct``."""
        if resource_type != TOKEN:
            raise ValueError(f"the package has {TOKEN}, and no {resource_type}")
        made: pulumi.Output[ModelServingStack] = pulumi.Output.from_input(_made(name, inputs, options))
        outputs = {key: made.apply(partial(_output, key)) for key in OUTPUTS}
        return ConstructResult(made.apply(_urn), outputs)


async def _made(
    name: str, inputs: Mapping[str, pulumi.Input[Any]], options: pulumi.ResourceOptions | None
) -> ModelServingStack:
    """The component.

    Raises:
        pulumi.InputPropertiesError: with the text of every finding: the one error whose text the engine shows alone.
    """
    try:
        arguments, findings = await read_arguments(inputs)
        refuse(findings)
        stack = ModelServingStack(name, await _spec(arguments), arguments.credentials, options)
        # What is found out late, such as another cluster, comes with the outputs.
        await pulumi.Output.all(*stack.outputs.values()).future()
        return stack
    except pulumi.RunError as error:
        raise pulumi.InputPropertiesError(str(error), []) from None


async def _spec(arguments: Arguments) -> StackSpec:
    config = await with_platform(arguments.config)
    return read_stack(
        Path(),
        {**config, "files": []},
        stack=pulumi.get_stack(),
        project=pulumi.get_project(),
        documents=arguments.documents,
        secrets=arguments.credentials.keys(),
        outputs=await outputs_of_others(config),
    )


def _urn(stack: ModelServingStack) -> pulumi.Output[str]:
    return stack.urn


def _output(key: str, stack: ModelServingStack) -> Any:
    return stack.outputs[key]
