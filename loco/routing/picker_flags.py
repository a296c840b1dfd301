"""Flags of the endpoint picker in a list of arguments; users spell them with one dash or two, in kebab or camel case."""

import re
from collections.abc import Collection, Sequence

_TEXT_FLAGS = ("config-text", "configText")
_FILE_FLAGS = ("config-file", "configFile")


def has_flag(arguments: Sequence[str], name: str) -> bool:
    """Whether ``-name`` or ``--name`` stands there, alone or with ``=value``."""
    return any(_name_of(argument) == name for argument in arguments)


def config_flag_in(arguments: Sequence[str]) -> bool:
    """Whether the arguments bring a config of their own; a flag that comes last without a value doesn't count."""
    return any(
        _name_of(argument) in (*_TEXT_FLAGS, *_FILE_FLAGS) and ("=" in argument or index + 1 < len(arguments))
        for index, argument in enumerate(arguments)
    )


def config_text_in(arguments: Sequence[str]) -> str | None:
    """The text that the arguments bring; None where there is none, or it stands in a file."""
    for index, argument in enumerate(arguments):
        if _name_of(argument) in _TEXT_FLAGS:
            if "=" in argument:
                return argument.partition("=")[2]
            if index + 1 < len(arguments):
                return arguments[index + 1]
    return None


def without_open_config(arguments: Sequence[str]) -> list[str]:
    """The arguments without a config flag that comes last and lacks its value: it would swallow the next word."""
    words = list(arguments)
    bare = words and "=" not in words[-1] and _name_of(words[-1]) in (*_TEXT_FLAGS, *_FILE_FLAGS)
    return words[:-1] if bare else words


def last_value_of(arguments: Sequence[str], flag: str) -> tuple[str, int] | None:
    """The value that counts of a flag in kebab case, found in camel case as well, and the number of its word."""
    found = None
    for index, argument in enumerate(arguments):
        if _kebab(_name_of(argument) or "") == flag:
            if "=" in argument:
                found = argument.partition("=")[2], index
            elif index + 1 < len(arguments):
                found = arguments[index + 1], index
    return found


def with_config_text(arguments: Sequence[str], text: str) -> list[str]:
    """The arguments with another text in the place of the one that ``config_text_in`` finds."""
    changed = list(arguments)
    for index, argument in enumerate(changed):
        if _name_of(argument) in _TEXT_FLAGS:
            if "=" in argument:
                changed[index] = f"{argument.partition('=')[0]}={text}"
            elif index + 1 < len(changed):
                changed[index + 1] = text
            break
    return changed


def without_flags(arguments: Sequence[str], flags: Collection[str]) -> tuple[list[str], dict[str, str | None]]:
    """The arguments without some flags, and the last value of each that was there; None where it stood bare.

    A value stands behind ``=`` or is the next word, unless that is a flag too. ``flags`` are in kebab case, and found
    in camel case as well.
    """
    kept: list[str] = []
    values: dict[str, str | None] = {}
    words = list(arguments)
    while words:
        word = words.pop(0)
        name = _kebab(_name_of(word) or "")
        if name not in flags:
            kept.append(word)
        elif "=" in word:
            values[name] = word.partition("=")[2]
        elif words and not words[0].startswith("-"):
            values[name] = words.pop(0)
        else:
            values[name] = None
    return kept, values


def _name_of(argument: str) -> str | None:
    return argument.lstrip("-").partition("=")[0] if argument.startswith("-") else None


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"-{found[1].lower()}", name)
