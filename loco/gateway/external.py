"""An external model as the gateway sees it: its document, and the environment variables that hold its secrets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loco.model import Origin
from loco.spec.external_model import ExternalModelSpec, SecretKey


@dataclass(frozen=True, slots=True)
class External:
    """One ExternalModel of the stack."""

    namespace: str
    name: str
    spec: ExternalModelSpec
    labels: dict[str, str]
    origin: Origin

    @property
    def subject(self) -> str:
        return f"ExternalModel/{self.namespace}/{self.name}"

    @property
    def public_names(self) -> tuple[str, ...]:
        return tuple(self.spec.names or (self.name,))


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable of the gateway's pods, and the Secret key that it reads."""

    name: str
    source: SecretKey
    external: External
    path: str


def variables(external: External, gateway_namespace: str) -> Iterator[Variable]:
    """The key or token first, then headers as written; each header's is found by its name."""
    auth = external.spec.auth
    if auth is None:
        return
    if auth.key is not None:
        path = "spec.auth.apiKey" if auth.api_key else "spec.auth.bearerToken"
        yield Variable(_variable(external, gateway_namespace), auth.key, external, path)
    for index, header in enumerate(auth.headers or []):
        if header.value_from is not None:
            name = header_variable(external, gateway_namespace, header.name)
            yield Variable(name, header.value_from.secret_key_ref, external, f"spec.auth.headers[{index}]")


def key_variable(external: External, gateway_namespace: str) -> str | None:
    """The variable of the key or token, if it has one."""
    auth = external.spec.auth
    return _variable(external, gateway_namespace) if auth is not None and auth.key is not None else None


def header_variable(external: External, gateway_namespace: str, header: str) -> str:
    """The variable of a header's value."""
    return f"{_variable(external, gateway_namespace)}__HDR__{_plain(header)}"


def _variable(external: External, gateway_namespace: str) -> str:
    """Shell-safe: /bin/sh of the image drops names that aren't. The double underscore can't come from a part."""
    elsewhere = f"{_plain(external.namespace)}__" if external.namespace != gateway_namespace else ""
    return f"EXTERNALMODEL__{elsewhere}{_plain(external.name)}"


def _plain(part: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", part.upper()).strip("_")
