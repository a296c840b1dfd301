"""Objects that the real KServe's admission accepted or refused, as loco judges them.

Ours differs only where the recording says that it should: a field that another layer or a preset supplies may be
missing, and what the reference accepts and then loses is refused.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loco.layers import resolve
from loco.model import Finding, errors_of
from loco.spec import COMPANION_KINDS, read_stack


def recorded(shared: Path) -> list[dict[str, Any]]:
    """The recording's lines."""
    return [json.loads(line) for line in (shared / "goldens/admission.jsonl").read_text().splitlines() if line]


def config_maps(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What an object refers to, which admission doesn't look for and loco does."""
    scheduler = ((document.get("spec") or {}).get("router") or {}).get("scheduler") or {}
    if name := ((scheduler.get("config") or {}).get("ref") or {}).get("name"):
        data = {"epp": "{kind: EndpointPickerConfig, plugins: []}"}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def judged(document: dict[str, Any]) -> tuple[Finding, ...]:
    """Errors of one object in a namespace, read and resolved; fields that no room consumes are not looked at."""
    config = {"namespace": "llm", "profile": "kserve"}
    stack = read_stack(Path("/nonexistent"), config, documents=[document, *config_maps(document)])
    findings = list(stack.findings)
    for read in stack.documents:
        if read.kind not in COMPANION_KINDS:
            findings += resolve(read, stack)[1]
    return errors_of(findings)


def place(path: str, document: dict[str, Any]) -> str:
    """A path in one notation: no quotes, and indexes for items that are called by name."""
    text = ""
    node: Any = document
    for key, bracketed in re.findall(r"([^.\[\]]+)|\[([^\]]*)\]", path.replace('"', "")):
        step: Any = key or bracketed
        if isinstance(node, list):
            step = next((i for i, item in enumerate(node) if item.get("name") == step), step)
            node = node[int(step)] if str(step).isdigit() else None
        else:
            node = node.get(step) if isinstance(node, dict) else None
        text += f"[{step}]" if bracketed else f".{step}"
    return text[1:]


def expected(line: dict[str, Any]) -> bool:
    """Whether loco accepts the object."""
    loco = line.get("loco", "")
    return loco.startswith("accepted") if loco else bool(line["accepted"])


def test_ours_is_the_reference_but_for_what_the_recording_says(shared: Path) -> None:
    lines = recorded(shared)
    assert len(lines) >= 50
    wrong = []
    for line in lines:
        errors = judged(line["object"])
        paths = sorted({place(error.path, line["object"]) for error in errors})
        if bool(errors) == expected(line):
            wrong.append((line["case"], "accepted" if not errors else "refused", paths))
        elif errors and line["paths"] and not set(paths) <= set(line["paths"]):
            wrong.append((line["case"], "named", paths))
        elif not all(error.cure and error.origin for error in errors):
            wrong.append((line["case"], "no cure or origin", paths))
    assert wrong == []


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("spec.a.b[main].c", "spec.a.b[1].c"),
        ("spec.a.b[main].c[d].e", "spec.a.b[1].c[0].e"),
        ('metadata.annotations["x.y/z"]', "metadata.annotations[x.y/z]"),
        ("spec.a.b[0].c", "spec.a.b[0].c"),
        ("spec.a.b[other].c", "spec.a.b[other].c"),
    ],
)
def test_notation(path: str, normal: str) -> None:
    assert place(path, {"spec": {"a": {"b": [{"name": "x"}, {"name": "main", "c": [{"name": "d"}]}]}}}) == normal
