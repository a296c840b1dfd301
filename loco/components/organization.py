"""Whose stacks a program may refer to: with a file or bucket as backend all belong to one organization of that name."""

import pulumi

from loco.model import Finding
from loco.spec.stack import CONFIG

_WITHOUT_ACCOUNTS = "organization"


def check_organization(stack: str, path: str) -> None:
    """Ends the program where the engine would, which names neither the key nor the stack.

    Args:
        stack: as the config or a program names it.
        path: where it does.

    Raises:
        pulumi.RunError: the backend has no organizations, and the name begins with one.
    """
    first, *rest = stack.split("/")
    if pulumi.get_organization() != _WITHOUT_ACCOUNTS or not rest or first == _WITHOUT_ACCOUNTS:
        return
    message = f"a file or bucket as backend has no organization {first}"
    cure = "/".join([_WITHOUT_ACCOUNTS, *(rest if len(rest) == 2 else [first, *rest])])
    raise pulumi.RunError(str(Finding("LOCO-REFERENCE", "error", path, message, cure, CONFIG, value=stack)))
