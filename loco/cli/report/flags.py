"""Flags of an engine's command line, from its arguments, from VLLM_ADDITIONAL_ARGS, or from a start script."""

import re
import shlex
from collections.abc import Sequence

Flags = dict[str, str]
# A flag that begins a word, and the word behind it unless that is a flag or the shell's own.
_IN_SCRIPT = re.compile(r"(?<![\w$\"'=*])(--[a-z][\w.-]*)(?:(?:=|[ ]+)('[^']*'|\"[^\"]*\"|[^\s()'\";&|-][^\s()]*))?")


def flags_of(words: Sequence[str]) -> tuple[Flags, list[str]]:
    """Flags with their values, and the other words. A flag that stands several times has all its values."""
    flags: Flags = {}
    rest: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not re.match(r"--?[A-Za-z]", word):
            rest.append(word)
            continue
        name, equals, value = word.partition("=")
        if not equals and waiting and not re.match(r"--?[A-Za-z]|--$", waiting[0]):
            value = waiting.pop(0)
        flags[name] = f"{flags[name]} {value}".strip() if name in flags else value
    return flags, rest


def flags_in_text(text: str) -> Flags:
    """Of text that the start script splits into words; none where it can't be split."""
    try:
        return flags_of(shlex.split(text))[0]
    except ValueError:
        return {}


def flags_in_script(script: str) -> Flags:
    """What a script's lines hold of flags. Comments, and lines that test rather than collect, hold none."""
    flags: Flags = {}
    for line in script.splitlines():
        if line.lstrip().startswith("#") or "==" in line:
            continue
        for name, value in _IN_SCRIPT.findall(line):
            flags[name] = f"{flags[name]} {value}".strip() if name in flags else value
    return flags


def is_script(word: object) -> bool:
    """Whether a word of a command is a script of its own."""
    return isinstance(word, str) and "\n" in word
