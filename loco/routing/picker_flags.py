"""Flags of the endpoint picker in a list of arguments; users spell them with one dash or two, in kebab or camel case."""

from collections.abc import Sequence

_CONFIG_FLAGS = ("config-text", "configText", "config-file", "configFile")


def has_flag(arguments: Sequence[str], name: str) -> bool:
    """Whether ``-name`` or ``--name`` stands there, alone or with ``=value``."""
    return any(_name_of(argument) == name for argument in arguments)


def config_flag_in(arguments: Sequence[str]) -> bool:
    """Whether the arguments bring a config of their own; a flag that comes last without a value doesn't count."""
    return any(
        _name_of(argument) in _CONFIG_FLAGS and ("=" in argument or index + 1 < len(arguments))
        for index, argument in enumerate(arguments)
    )


def _name_of(argument: str) -> str | None:
    return argument.lstrip("-").partition("=")[0] if argument.startswith("-") else None
