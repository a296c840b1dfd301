"""The kinds of document that this room reads, as they stand after layering."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from loco import names
from loco.model import Finding, Origin
from loco.model.finding import Severity
from loco.spec import EXTERNAL_MODEL, GATEWAY, OBSERVABILITY
from loco.spec.external_model import ExternalModelSpec, SecretKey
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.observability import ObservabilitySpec
from loco.spec.tree import Branch, Path, at, dotted
from loco.spec.validate import origin_of

MASTER_KEY_KEY = "master-key"
SALT_KEY_KEY = "salt-key"

# Which fields of these kinds the gateway's manifests follow from.
_SETTINGS = ("info", "limits", "order", "params", "retries", "streamTimeoutSeconds", "timeoutSeconds", "weight")
CONSUMED: dict[str, tuple[Path, ...]] = {
    EXTERNAL_MODEL: tuple(
        (field,) for field in ("auth", "mode", "model", "names", "provider", "url", "wildcard", *_SETTINGS)
    ),
    GATEWAY: (
        ("aliases",),
        ("autoscaling",),
        ("clients",),
        ("contentPolicyFallbacks",),
        ("contextWindowFallbacks",),
        ("database",),
        ("defaultFallbacks",),
        ("digests",),
        ("egress",),
        ("env",),
        ("envFrom",),
        ("expose",),
        ("extraConfig",),
        ("fallbacks",),
        ("image",),
        ("masterKey",),
        ("models",),
        ("placement",),
        ("pod",),
        ("probes",),
        ("redis",),
        ("replicas",),
        ("saltKey",),
        ("service",),
        ("services",),
        ("via",),
    ),
    OBSERVABILITY: tuple(
        (field,) for field in ("alerts", "callbacks", "content", "dashboard", "env", "metrics", "traces")
    ),
}


class _Document:
    """What the kinds have in common: where they are written, and what is to be said of that."""

    __slots__ = ()
    kind: ClassVar[str]
    namespace: str
    name: str
    tree: Branch
    origin: Origin

    @property
    def subject(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the document where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)

    def finding(
        self,
        path: Path,
        message: str,
        cure: str,
        value: object = None,
        *,
        code: str = "LOCO-VALUE",
        severity: Severity = "error",
    ) -> Finding:
        """What is wrong with the value at a path of the spec."""
        where, origin = dotted(("spec", *path)), self.origin_at(*path)
        return Finding(code, severity, where, message, cure, origin, self.subject, value)


@dataclass(frozen=True, slots=True)
class External(_Document):
    """One ExternalModel of the stack."""

    kind: ClassVar[str] = EXTERNAL_MODEL
    namespace: str
    name: str
    spec: ExternalModelSpec
    labels: dict[str, str]
    tree: Branch
    origin: Origin

    @property
    def public_names(self) -> tuple[str, ...]:
        return tuple(self.spec.names or (self.name,))


@dataclass(frozen=True, slots=True)
class Gateway(_Document):
    """One LiteLLMGateway of the stack."""

    kind: ClassVar[str] = GATEWAY
    namespace: str
    name: str
    spec: LiteLLMGatewaySpec
    tree: Branch
    origin: Origin

    def takes(self, labels: Mapping[str, str]) -> bool:
        """Whether its selector takes a model with these labels."""
        return self.spec.models.match_labels.items() <= labels.items()

    @property
    def master_key(self) -> SecretKey:
        """Where the admin key is, be it made here or somebody else's."""
        if self.spec.master_key.secret_ref is not None:
            return self.spec.master_key.secret_ref
        return SecretKey(name=names.gateway_secret(self.name), key=MASTER_KEY_KEY)

    @property
    def salt_key(self) -> SecretKey | None:
        """Where the key is that encrypts what LiteLLM keeps in a database; made here wherever there is one."""
        if self.spec.salt_key is None and self.spec.database is None:
            return None
        if self.spec.salt_key is not None and self.spec.salt_key.secret_ref is not None:
            return self.spec.salt_key.secret_ref
        return SecretKey(name=names.gateway_salt_secret(self.name), key=SALT_KEY_KEY)


@dataclass(frozen=True, slots=True)
class Observability(_Document):
    """How the stack is watched."""

    kind: ClassVar[str] = OBSERVABILITY
    namespace: str
    name: str
    spec: ObservabilitySpec
    tree: Branch
    origin: Origin
