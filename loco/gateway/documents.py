"""The two kinds of document that this room reads, as they stand after layering."""

from collections.abc import Mapping
from dataclasses import dataclass

from loco import names
from loco.model import Origin
from loco.spec import EXTERNAL_MODEL, GATEWAY
from loco.spec.external_model import ExternalModelSpec, SecretKey
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.tree import Branch, Path, at
from loco.spec.validate import origin_of

MASTER_KEY_KEY = "master-key"
SALT_KEY_KEY = "salt-key"

# Which fields of the two kinds the gateway's manifests follow from.
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
        ("defaultFallbacks",),
        ("digests",),
        ("env",),
        ("expose",),
        ("extraConfig",),
        ("fallbacks",),
        ("image",),
        ("masterKey",),
        ("models",),
        ("placement",),
        ("replicas",),
        ("saltKey",),
        ("services",),
        ("via",),
    ),
}


@dataclass(frozen=True, slots=True)
class External:
    """One ExternalModel of the stack."""

    namespace: str
    name: str
    spec: ExternalModelSpec
    labels: dict[str, str]
    tree: Branch
    origin: Origin

    @property
    def subject(self) -> str:
        return f"{EXTERNAL_MODEL}/{self.namespace}/{self.name}"

    @property
    def public_names(self) -> tuple[str, ...]:
        return tuple(self.spec.names or (self.name,))

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the document where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)


@dataclass(frozen=True, slots=True)
class Gateway:
    """One LiteLLMGateway of the stack."""

    namespace: str
    name: str
    spec: LiteLLMGatewaySpec
    tree: Branch
    origin: Origin

    @property
    def subject(self) -> str:
        return f"{GATEWAY}/{self.namespace}/{self.name}"

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
        """Where the key is that encrypts what LiteLLM keeps in a database, if it has one."""
        if self.spec.salt_key is None or self.spec.salt_key.secret_ref is not None:
            return self.spec.salt_key.secret_ref if self.spec.salt_key else None
        return SecretKey(name=names.gateway_salt_secret(self.name), key=SALT_KEY_KEY)

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the document where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)
