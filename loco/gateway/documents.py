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

# Which fields of the two kinds the gateway's manifests follow from.
CONSUMED: dict[str, tuple[Path, ...]] = {
    EXTERNAL_MODEL: (("auth",), ("mode",), ("model",), ("names",), ("provider",), ("url",)),
    GATEWAY: (("fallbacks",), ("image",), ("masterKey",), ("models",), ("replicas",), ("via",)),
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

    def origin_at(self, *path: str | int) -> Origin:
        """Where the value at a path of the spec was written; the document where nobody wrote it."""
        return origin_of(at(self.tree, path), self.origin)
