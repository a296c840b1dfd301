"""What a destroy of a protected stack meets first, before anything of it is gone."""

from collections.abc import Sequence
from typing import Any

import pulumi


def guard(
    name: str, protected: bool, everything: Sequence[pulumi.Resource], parent: pulumi.Resource
) -> pulumi.Output[Any]:
    """A resource that depends on all others, so that the engine would delete it first, and that it may not delete.

    The engine's error shows its name, which ends in the setting that lifts the protection. It is there in unprotected
    stacks too: a change of the setting changes it, and an update is enough to lift it.

    Returns:
        An output that is known once everything is there, in a preview at once; never where something has failed.
    """
    stash = pulumi.Stash(
        f"{name}/deletionProtection",
        input=protected,
        # Not false: a program may protect the component, and what is in it with it.
        opts=pulumi.ResourceOptions(parent=parent, protect=protected or None, depends_on=list(everything)),
    )
    return stash.input
