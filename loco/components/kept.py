"""Secrets that are made once: the first update's value stays in the state, every later run's fresh one is ignored."""

from typing import Any

import pulumi


def kept_secret(name: str, fresh: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[Any]:
    """The value under a logical name, as a secret output: ``fresh`` where the state has none yet."""
    stash = pulumi.Stash(
        name,
        input=pulumi.Output.secret(fresh),
        opts=pulumi.ResourceOptions(parent=parent, ignore_changes=["input"]),
    )
    return pulumi.Output.secret(stash.output)
