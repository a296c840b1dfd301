"""The stack: its config in, its objects registered, its outputs exported."""

import pulumi

from loco import ModelServingStack, stack_from_config

stack = ModelServingStack("loco", stack_from_config())
for name, value in stack.outputs.items():
    pulumi.export(name, value)
