"""``loco diff``: what differs between two stacks of a project, and why."""

from loco.cli.diff.command import declare

__all__ = ["declare"]
