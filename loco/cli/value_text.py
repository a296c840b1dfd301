"""How one value is printed on one line."""

import json

from loco.model import Origin
from loco.spec.tree import Node, plain

_LONGEST = 60


def short(node: Node) -> str:
    """A value as JSON, of text of several lines the first."""
    value = plain(node)
    lines = value.splitlines() if isinstance(value, str) else []
    return as_json_line(value) if len(lines) < 2 else f"{as_json_line(lines[0])} … {len(lines)} lines"


def shortened(node: Node) -> str:
    """The same, of at most 60 characters."""
    return text if len(text := short(node)) <= _LONGEST else text[: _LONGEST - 1] + "…"


def as_json_line(value: object) -> str:
    """On one line, with nothing in it that would move a terminal's cursor."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)


def place(origin: Origin) -> str:
    """File and line, without the layer; a dash where there is no file."""
    return "-" if origin.file is None else origin.file if origin.line is None else f"{origin.file}:{origin.line}"
