"""``loco report``: what a change does to a stack's models and pods, for people who review it."""

from loco.cli.report.command import declare

__all__ = ["declare"]
