"""How findings are shown."""

import json
import sys
from collections.abc import Sequence

from loco.model import Finding, errors_of


def show(findings: Sequence[Finding]) -> None:
    """All findings on standard error, errors first, and how many there are."""
    if not findings:
        return
    for finding in sorted(findings, key=lambda finding: finding.severity):
        print(finding, end="\n\n", file=sys.stderr)
    errors = len(errors_of(findings))
    print(f"{_count(errors, 'error')}, {_count(len(findings) - errors, 'warning')}", file=sys.stderr)


def as_json(findings: Sequence[Finding]) -> str:
    """One JSON array."""
    return json.dumps([finding.as_dict() for finding in findings], indent=2, ensure_ascii=False, default=str)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
