"""The stack: its config in, its objects registered, its outputs exported."""

import pulumi

from loco import ModelServingStack, stack_from_config


async def main() -> pulumi.Inputs:
    return ModelServingStack("loco", await stack_from_config()).outputs


pulumi.run(main)
