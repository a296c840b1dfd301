"""The name of another stack, as a config writes it and the engine takes it."""

from typing import Annotated

from pydantic import AfterValidator


def is_possible(stack: str) -> bool:
    """Whether the engine could know a stack of this name; of any other it ends the program without a place."""
    parts = stack.split("/")
    return len(parts) <= 3 and all(part and part.isprintable() and " " not in part for part in parts)


def _checked(value: str) -> str:
    if not is_possible(value):
        raise ValueError(
            "organization/project/stack; with a file or bucket as backend the first is the word organization"
        )
    return value


StackName = Annotated[str, AfterValidator(_checked)]
