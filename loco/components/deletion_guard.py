"""What a destroy of a protected stack meets first, before anything of it is gone."""

from collections.abc import Sequence

import pulumi


def guard(name: str, protected: bool, everything: Sequence[pulumi.Resource], parent: pulumi.Resource) -> None:
    """A resource that depends on all others, so that the engine would delete it first, and that it may not delete.

    The engine's error shows its name, which ends in the setting that lifts the protection. It is there in unprotected
    stacks too: a change of the setting changes it, and an update is enough to lift it.
    """
    pulumi.Stash(
        f"{name}/deletionProtection",
        input=protected,
        opts=pulumi.ResourceOptions(parent=parent, protect=protected, depends_on=list(everything)),
    )
