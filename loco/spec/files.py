"""Files of the user's disk: their text, their YAML, and what is wrong with either."""

import os
from collections.abc import Iterable
from pathlib import Path

from loco.model import Finding, Origin
from loco.spec.tree import Node
from loco.spec.yaml_reader import read_yaml

_LARGEST_FILE = 16 * 2**20  # bytes; an API server takes objects of 1.5 MiB


def read_each(files: Iterable[tuple[Path, str]], layer: str = "service") -> tuple[list[Node], list[Finding]]:
    """The documents of YAML files, each file once, however many names lead to it, and what can't be read."""
    trees: list[Node] = []
    findings: list[Finding] = []
    seen: set[str] = set()
    is_models = layer == "service"
    for path, shown in files:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            found, reading = _read_yaml(path, shown, layer)
            trees += found
            findings += reading
            if is_models and not found and not reading:
                message, cure = f"{shown} holds no document", "a document of a known kind in it, or no such file"
                findings.append(Finding("LOCO-NO-EFFECT", "warning", "", message, cure, Origin(layer, shown)))
    return trees, findings


def read_text(path: Path, shown: str, layer: str) -> tuple[str | None, list[Finding]]:
    """A file's text, None where it can't be read, is too large or isn't UTF-8."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)  # a device may have no end
    except OSError as error:
        message = f"{shown} can't be read: {error.strerror or error}"
        return None, [Finding("LOCO-FILE", "error", "", message, "the path of a readable file", Origin(layer, shown))]
    if len(content) > _LARGEST_FILE:
        message = f"{shown} has more than {_LARGEST_FILE // 2**20} MiB, which no model file needs"
        return None, [Finding("LOCO-FILE", "error", "", message, "several smaller files", Origin(layer, shown))]
    try:
        return content.decode("utf-8"), []
    except UnicodeDecodeError as error:
        message = f"{shown} isn't UTF-8: {error.reason} at byte {error.start}"
        origin = Origin(layer, shown, content.count(b"\n", 0, error.start) + 1)
        return None, [Finding("LOCO-YAML", "error", "", message, "the file in UTF-8", origin)]


def _read_yaml(path: Path, shown: str, layer: str) -> tuple[list[Node], list[Finding]]:
    text, findings = read_text(path, shown, layer)
    return read_yaml(text, shown, layer) if text is not None else ([], findings)
