"""Secrets in plain text where a text of a gateway's own may hold them: a URL with its password, a variable that is a key."""

import re
from collections.abc import Iterator

from loco.gateway.documents import Gateway, Observability
from loco.model import Finding
from loco.spec.tree import Path

SECRET_NAME = re.compile(
    r"(^|[_-])(api[_-]?key|password|secret|(secret|access|private|master|salt)_key|token|credentials|authorization"
    r"|(database|redis)_url)$",
    re.IGNORECASE,
)
_URL = re.compile(r"[A-Za-z][-+.A-Za-z0-9]*://[^/?#@\s]*:([^/?#@\s]+)@")  # scheme://user:password@
_PLACEHOLDERS = frozenset({"", "none", "dummy", "false", "true"})
_REFERENCE = "os.environ/"


def holds_password(text: str) -> bool:
    """Whether it is a URL, or has one in it, that names a user's password."""
    return any(_REFERENCE not in found[1] for found in _URL.finditer(text))


def plain_secrets(document: Gateway | Observability) -> list[Finding]:
    """``LOCO-SECRET`` for a literal variable and a trigger of KEDA's that hold one; the value is not repeated.

    A variable by its name alone is a warning: what a name says may not be so.
    """
    findings = []
    for index, variable in enumerate(document.spec.env or []):
        if variable.value is None:
            continue
        path: Path = ("env", index, "value")
        cure = f"{{name: {variable.name}, valueFrom: {{secretKeyRef: {{name: SECRET, key: KEY}}}}}}"
        if holds_password(variable.value):
            findings.append(
                document.finding(path, f"the URL in {variable.name} has its password in it", cure, code="LOCO-SECRET")
            )
        elif SECRET_NAME.search(variable.name) and variable.value.lower() not in _PLACEHOLDERS:
            message = f"{variable.name} stands in plain text in the model file and in the pods' object"
            findings.append(document.finding(path, message, cure, severity="warning", code="LOCO-SECRET"))
    if isinstance(document, Gateway):
        for below, text in _of_triggers(document):
            if SECRET_NAME.search(str(below[-1])) or holds_password(text):
                message = f"{below[-1]} would stand in plain text in the model file and in the ScaledObject"
                cure = "authenticationRef: {name: …}, a TriggerAuthentication that reads a Secret"
                findings.append(document.finding(below, message, cure, code="LOCO-SECRET"))
    return findings


def _of_triggers(gateway: Gateway) -> Iterator[tuple[Path, str]]:
    keda = gateway.spec.autoscaling.keda if gateway.spec.autoscaling is not None else None
    for index, trigger in enumerate(keda.triggers or [] if keda is not None else []):
        for key, text in trigger.metadata.items():
            yield ("autoscaling", "keda", "triggers", index, "metadata", key), text
