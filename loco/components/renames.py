"""Logical names that loco once used. Append only: whoever upgrades from any version must keep what is running.

A logical name is part of a resource's identity; without an alias its change deletes and creates the object.
"""

from dataclasses import dataclass

import pulumi


@dataclass(frozen=True, slots=True)
class Rename:
    """Resources of ``token`` whose logical name ends in ``new`` used to end in ``old``."""

    token: str
    old: str
    new: str


RENAMES: tuple[Rename, ...] = ()


def aliases_of(token: str, name: str) -> list[pulumi.Alias]:
    """The names that a resource had before, oldest first."""
    return [
        pulumi.Alias(name=name.removesuffix(rename.new) + rename.old)
        for rename in RENAMES
        if rename.token == token and name.endswith(rename.new)
    ]
