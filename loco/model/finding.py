"""What loco has to say about the input: an error refuses the plan, a warning goes along with it."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from loco.model.origin import Origin

Severity = Literal["error", "warning"]
_LONGEST_VALUE = 120
HIDDEN = "(hidden)"
_SENSITIVE = re.compile(r"auth|credential|key|token(?!iz)|secret|passw", re.IGNORECASE)
# Fields that hold the name of a Secret, of one of its keys, of a ConfigMap's, of a label; and such a name.
_NAMED = re.compile(
    r"(?:[a-z]Ref|bearerToken|metadata|\.ref|Secrets\[[^\]]*\])\.(?:name|namespace|key|kind)$"
    r"|(?:[sS]ecretName|tlsSecret|triggerAuthName|triggerAuthKind|authModes|topologyKey)(?:\"\])?$"
    r"|(?:tolerations|matchExpressions|items)\[[^\]]*\]\.key$"
    r"|imagePullSecrets\[[^\]]*\]$|^credentials\.[^.]+\.[^.]+\.config$"
)
_EDITION = re.compile(r"^rotation\.(?:masterKeys|saltKeys|certificates)$")  # a text that says when or why, and no key
_NAME = re.compile(r"[-._/a-zA-Z0-9]{1,253}")
_PREFIXED = re.compile(r"sk-|[spr]k_|hf_|gh[a-z]_|github_pat|glpat-|xox[a-z]-|AKIA|ASIA|AIza|eyJ")
_RANDOM = re.compile(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}")
_URL_USER = re.compile(r"(://)[^/@\s\"]+@")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Attributes:
        code: stable, ``LOCO-…``; every code is explained in docs/findings.md.
        severity: ``error`` (nothing is applied) or ``warning``.
        path: the field within its document, such as ``spec.template.containers[0].image``.
        message: what is wrong, in one sentence.
        cure: what to write instead.
        origin: the layer, file and line that the value came from.
        subject: the object that it is about, ``Kind/namespace/name``.
        value: what was found there; shown as JSON, shortened.
    """

    code: str
    severity: Severity
    path: str
    message: str
    cure: str
    origin: Origin | None = None
    subject: str | None = None
    value: object = None

    def as_dict(self) -> dict[str, object]:
        """The form that ``loco check -o json`` prints."""
        return {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "origin": self.origin.as_dict() if self.origin else None,
            "message": self.message,
            "cure": self.cure,
            "object": self.subject,
            "value": json.loads(self._value()),
        }

    def __str__(self) -> str:
        """Several lines for a person: the verdict, the place, the value, the way out."""
        place = ", ".join(part for part in (self.subject, str(self.origin) if self.origin else None) if part)
        lines = [f"{self.severity}[{self.code}]: {self.message}"]
        if place or self.path:
            lines.append(f"  at {self.path or 'the document'}" + (f" in {place}" if place else ""))
        if self.value is not None:
            lines.append(f"  found {_shortened(self._value())}")
        lines.append(f"  write {self.cure}")
        return "\n".join(visible(line) for line in lines)

    def _value(self) -> str:
        return shown_value(self.path, self.value)


class Refused(Exception):
    """The input can't be planned. Carries every finding, warnings too; its text is all of them."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


def shown_value(path: str, value: object) -> str:
    """A value as JSON, with nothing in it that could be a secret: somebody may have pasted one there.

    Args:
        path: where it stands. Text under a name such as ``apiKey`` is hidden, unless it is what a Secret is called.
    """
    if _SENSITIVE.search(path) and not _is_name(path, value):
        return json.dumps(value if isinstance(value, (bool, int, float)) or value is None else HIDDEN)
    return _URL_USER.sub(rf"\1{HIDDEN}@", json.dumps(value, ensure_ascii=False, default=str))


def _is_name(path: str, value: object) -> bool:
    """Whether the value is what something is called, and looks like it: a Secret's name is none of its secrets."""
    return (
        isinstance(value, str)
        and ((_NAMED.search(path) and _NAME.fullmatch(value)) or _EDITION.search(path)) is not None
        and not (_RANDOM.search(value) or _PREFIXED.match(value))
    )


def errors_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that refuse a plan."""
    return tuple(finding for finding in findings if finding.severity == "error")


def visible(line: str) -> str:
    """Text of a file may hold what would move a terminal's cursor."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in line)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
