"""Values as `loco diff` shows them: nothing in them that could be a secret."""

import json
import re
from typing import Any

from loco.model.finding import HIDDEN, shown_value
from loco.spec.tree import dotted

# NAME=value and --name=value in a word or a script, and name: value in a file that a ConfigMap holds, where the name is
# a secret's and the value no variable's. A value in quotes may have spaces; one behind a colon goes to the line's end.
# A name is looked at once, from its beginning, and never again in part: text may have a megabyte without a space.
_ASSIGNED = re.compile(
    r"(?<![\w.-])(?=[\w.-]*?(?:auth|credential|key|token(?!iz)|secret|passw))"
    r"(?P<name>[\w.-]++[\"']?[ \t]*+)(?:(?P<sign>=[ \t]*+)|(?P<colon>:[ \t]*+))"
    r"(?P<value>(?![\"']?\$|[|>{\[])(?:\"[^\"\n]*\"|'[^'\n]*'|(?(colon)[^\s,}\]][^\n,}\]]*|\S+)))",
    re.IGNORECASE,
)
_FLAG = re.compile(r"--?[\w.-]+")
NUMBER = re.compile(r"[-+]?[\d.]+|true|false", re.IGNORECASE)


def shown(value: Any, path: str) -> Any:
    """Plain data without what could be a secret, by the rule of findings, item by item.

    A word behind a flag such as ``--api-key`` counts as standing under that name; numbers and switches are shown.
    """
    if isinstance(value, dict):
        return {key: shown(item, path + dotted(("x", key))[1:]) for key, item in value.items()}
    if isinstance(value, list):
        return _items(value, path)
    if isinstance(value, str) and path.endswith(f"[{value}].name"):
        return value  # it stands in the path: HF_TOKEN is no token
    hidden = json.loads(shown_value(path, value))
    return _ASSIGNED.sub(_without_value, hidden) if isinstance(hidden, str) else hidden


def _items(items: list[Any], path: str) -> list[Any]:
    flags = [None, *(item if isinstance(item, str) and _FLAG.fullmatch(item) else None for item in items)]
    found = []
    for index, (item, flag) in enumerate(zip(items, flags, strict=False)):
        behind = flag is not None and isinstance(item, str) and not _FLAG.fullmatch(item) and not NUMBER.fullmatch(item)
        name = item.get("name") if isinstance(item, dict) else None
        found.append(shown(item, f"{path}.{flag}" if behind else f"{path}[{name or index}]"))
    return found


def _without_value(found: re.Match[str]) -> str:
    if NUMBER.fullmatch(found["value"].strip()):
        return found[0]
    return f"{found['name']}{found['sign'] or found['colon']}{HIDDEN}"
