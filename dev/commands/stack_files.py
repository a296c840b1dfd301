"""Reads which cluster a stack file remembers, and writes one for a cluster that was just named.

Line by line, because this runs before `.venv` has a YAML parser, and a refusal should not take
a minute and a half.
"""

import json
import re

from dev.commands.checkout import EMBEDDED_STACK, Checkout
from dev.messages import Problem

KEY = re.compile(r"""^(?P<indent>\s*)["']?loco:cluster["']?\s*:(?P<rest>.*)$""")
CONTEXT = re.compile(r"""(?:^|[{,\s])["']?context["']?\s*:\s*(?:"([^"]*)"|'([^']*)'|([^\s,}#"'][^\s,}#]*))""")
FLOW_VALUE = r"""(?<![\w])(context|identifier)\s*:\s*(?:"[^"]*"|'[^']*'|[^,}]*[^,}\s])"""
UNPROTECTED = "loco:deletionProtection:"
SALT = re.compile(r"^encryptionsalt:")


def remembered_context(text: str) -> str | None:
    """Return the cluster context in a stack file's `loco:cluster`, if it names one."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        key = KEY.match(line)
        if key:
            value = [key["rest"], *_deeper(lines[number + 1 :], len(key["indent"]))]
            found = CONTEXT.search("\n".join(value))
            return next((group for group in found.groups() if group), None) if found else None
    return None


def _deeper(lines: list[str], indent: int) -> list[str]:
    """Return the lines that belong to a key: those that are indented further than it."""
    taken = []
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        taken.append(line)
    return taken


def generated(checkout: Checkout, context: str, keep_salt: bool) -> str:
    """Return Pulumi.dev.yaml's text with another cluster in it.

    Without the salt, Pulumi makes one for the user's own passphrase; values that were encrypted
    with the dev passphrase cannot come along then.
    """
    source = checkout.stack_file(EMBEDDED_STACK)
    if not source.exists():
        raise Problem(f"there is no {source} to start from")
    lines = source.read_text().splitlines()
    if not keep_salt:
        if any(re.search(r"\bsecure\s*:", line) for line in lines):
            raise Problem(
                f"{source.name} holds values that only the dev passphrase opens, and you have set"
                " a passphrase of your own; unset it, or write the stack's file yourself"
            )
        lines = [line for line in lines if not SALT.match(line)]
    found = [number for number, line in enumerate(lines) if KEY.match(line)]
    if not found or "{" not in lines[found[0]]:
        raise Problem(f"{source} has no line `loco:cluster: {{context: ..., identifier: ...}}`")
    name = json.dumps(context)  # a JSON string is a YAML string too
    line = lines[found[0]]
    lines[found[0]] = re.sub(FLOW_VALUE, lambda match: f"{match[1]}: {name}", line)
    if not any(UNPROTECTED in other for other in lines):  # a stack to try things with, like dev itself
        lines.insert(found[0], f"{line[: len(line) - len(line.lstrip())]}{UNPROTECTED} false")
    return "\n".join(lines) + "\n"
