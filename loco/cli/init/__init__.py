"""``loco init``: a new project that passes ``loco check`` as it stands."""

from loco.cli.init.command import declare

__all__ = ["declare"]
