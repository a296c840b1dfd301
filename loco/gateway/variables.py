"""The environment variables of a gateway's pods that hold the secrets of external models."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loco.gateway.documents import External
from loco.model import Finding
from loco.spec.external_model import SecretKey
from loco.spec.tree import Path, dotted


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable, the Secret key that it reads, and where in the external model's spec that is written."""

    name: str
    source: SecretKey
    external: External
    path: Path

    def finding(self, code: str, message: str, cure: str) -> Finding:
        """An error at the line of the reference."""
        where = dotted(("spec", *self.path))
        origin, subject = self.external.origin_at(*self.path), self.external.subject
        return Finding(code, "error", where, message, cure, origin, subject)


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
                f"{variable.external.subject} {dotted(variable.path)} and {earlier.external.subject} "
                f"{dotted(earlier.path)} would both be the environment variable {variable.name}"
            )
            findings.append(variable.finding("LOCO-DUPLICATE", message, "another name for one of the two"))
    return findings


def _variable(external: External, gateway_namespace: str) -> str:
    """Shell-safe: /bin/sh of the image drops names that aren't. The double underscore can't come from a part."""
    elsewhere = f"{_plain(external.namespace)}__" if external.namespace != gateway_namespace else ""
    return f"EXTERNALMODEL__{elsewhere}{_plain(external.name)}"


def _plain(part: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", part.upper()).strip("_")
