"""The environment variables of a gateway's pods that hold secrets: those of external models, and its own."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from loco.gateway.documents import External, Gateway, Observability
from loco.model import Finding
from loco.spec.external_model import SecretKey
from loco.spec.tree import Path, dotted

_PREFIX = "EXTERNALMODEL__"


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable, the Secret key that it reads, where in which document's spec that is written, and whether pods need it."""

    name: str
    source: SecretKey
    document: External | Gateway | Observability
    path: Path
    required: bool = False

    def finding(self, code: str, message: str, cure: str) -> Finding:
        """An error at the line of the reference."""
        return self.document.finding(self.path, message, cure, code=code)


def variables(external: External, gateway_namespace: str) -> Iterator[Variable]:
    """The key or token first, then headers as written; each header's is found by its name."""
    auth = external.spec.auth
    if auth is None:
        return
    if auth.key is not None:
        path: Path = ("auth", "apiKey", "secretRef") if auth.api_key else ("auth", "bearerToken")
        yield Variable(_variable(external, gateway_namespace), auth.key, external, path)
    for index, header in enumerate(auth.headers or []):
        if header.value_from is not None:
            name = header_variable(external, gateway_namespace, header.name)
            yield Variable(name, header.value_from.secret_key_ref, external, ("auth", "headers", index, "valueFrom"))


def own_variables(gateway: Gateway) -> Iterator[Variable]:
    """Those that the gateway's own spec has from Secrets."""
    for index, variable in enumerate(gateway.spec.env or []):
        if variable.value_from is not None:
            yield Variable(variable.name, variable.value_from.secret_key_ref, gateway, ("env", index, "valueFrom"))


def key_variable(external: External, gateway_namespace: str) -> str | None:
    """The variable of the key or token, if it has one."""
    auth = external.spec.auth
    return _variable(external, gateway_namespace) if auth is not None and auth.key is not None else None


def header_variable(external: External, gateway_namespace: str, header: str) -> str:
    """The variable of a header's value."""
    return f"{_variable(external, gateway_namespace)}__HDR__{_plain(header)}"


def duplicate_variables(variables: Sequence[Variable]) -> list[Finding]:
    """``LOCO-DUPLICATE`` for two sources that would share one environment variable."""
    findings = []
    first: dict[str, Variable] = {}
    for variable in variables:
        earlier = first.setdefault(variable.name, variable)
        if earlier is not variable:
            message = (
                f"{variable.document.subject} {dotted(variable.path)} and {earlier.document.subject} "
                f"{dotted(earlier.path)} would both be the environment variable {variable.name}"
            )
            findings.append(variable.finding("LOCO-DUPLICATE", message, "another name for one of the two"))
    return findings


def taken_variables(gateway: Gateway | Observability, taken: Collection[str]) -> list[Finding]:
    """``LOCO-DUPLICATE`` for a variable of the document's own ``env`` that loco sets."""
    findings = []
    for index, variable in enumerate(gateway.spec.env or []):
        if variable.name in taken or variable.name.startswith(_PREFIX):
            path: Path = ("env", index, "name")
            message, cure = f"loco sets {variable.name} itself", "another variable"
            findings.append(gateway.finding(path, message, cure, variable.name, code="LOCO-DUPLICATE"))
    return findings


def _variable(external: External, gateway_namespace: str) -> str:
    """Shell-safe: /bin/sh of the image drops names that aren't. The double underscore can't come from a part."""
    elsewhere = f"{_plain(external.namespace)}__" if external.namespace != gateway_namespace else ""
    return f"{_PREFIX}{elsewhere}{_plain(external.name)}"


def _plain(part: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", part.upper()).strip("_")
