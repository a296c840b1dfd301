"""The nouns of this folder: what an object of a plan counts on, and where it says so."""

from dataclasses import dataclass

from loco.model import Origin
from loco.spec.tree import Path

GATEWAY_GROUP = "gateway.networking.k8s.io"
# A pull secret has one of them, by its type.
PULL_KEYS = (".dockerconfigjson", ".dockercfg")


@dataclass(frozen=True, slots=True)
class Kind:
    """The API server serves this kind at this version."""

    group: str
    version: str
    name: str


@dataclass(frozen=True, slots=True)
class Thing:
    """This object exists. Of a version nothing is said: any that the cluster serves shows whether it is there."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        where = f" in {self.namespace}" if self.namespace else ""
        return f"{self.kind} {self.name}{where}"


@dataclass(frozen=True, slots=True)
class Account:
    """This service account exists; with ``pulls``, images are pulled with the secrets that it names."""

    namespace: str
    name: str
    pulls: bool


@dataclass(frozen=True, slots=True)
class StorageClass:
    """This class exists; with None, a default one does."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Parent:
    """This Gateway exists and admits such routes, at one listener (by name, by port) or at any."""

    namespace: str
    name: str
    section: str | None
    port: int | None
    route_kind: str
    route_namespace: str
    hostnames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extended:
    """Some node offers so much of a resource that is none of Kubernetes' own, such as ``nvidia.com/gpu``."""

    resource: str
    amount: int


Target = Kind | Thing | Account | StorageClass | Parent | Extended


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted on at ``path`` of an object.

    Attributes:
        optional: whether the object can do without.
        keys: of a Secret or ConfigMap, of which one must be there; none: its existence is enough.
    """

    what: Target
    path: Path
    optional: bool = False
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Need:
    """The same, by an object of a plan: ``subject``, which ``origin`` asked for."""

    what: Target
    path: str
    subject: str
    origin: Origin
    optional: bool = False
    keys: tuple[str, ...] = ()
