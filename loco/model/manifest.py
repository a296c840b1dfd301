"""A Kubernetes object that a plan holds, with what the engine must know beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loco.model.origin import Origin


@dataclass(frozen=True, slots=True, order=True)
class ManifestId:
    """Names one object of a plan; a cluster-scoped object has the namespace ``""``."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)


@dataclass(frozen=True, slots=True)
class Wait:
    """How the engine waits for the object: not at all, or for so many seconds (None: the provider's default)."""

    skip: bool = False
    timeout_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class ReferenceDigest:
    """What the reference hashes for a gateway's pods.

    Attributes:
        config: SHA-256 of the config file's text, in hexadecimal.
        lines: for each credential the beginning of its line, and the Secret and key whose value follows.
    """

    config: str
    lines: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object to be applied.

    Attributes:
        data: the whole object, camelCase keys as Kubernetes spells them; never a secret value.
        component: the document that owns it, ``Kind/namespace/name``; None for the stack's own.
        origin: the document that asked for it.
        wait: how the engine waits for it.
        ignore_changes: property paths that belong to somebody else, such as an autoscaler's ``spec.replicas``.
        replace_on: property paths that Kubernetes holds immutable; a change replaces the object, delete first.
        takes_over: objects that must be gone before this one is made; where the stack has one of them, this is its
            replacement. At most one of them may be in a stack at a time, and never beside this object.
        editions: whether each content is an object of its own, whose name on the cluster begins with this one's. It is
            there before pods are told of it, and goes when none needs it any more.
        reference_digest: what ``locostack.com/configHash`` covers by the reference's plain formula; None: the keyed one.
    """

    data: Mapping[str, Any]
    component: str | None
    origin: Origin
    wait: Wait = field(default_factory=Wait)
    ignore_changes: tuple[str, ...] = ()
    replace_on: tuple[str, ...] = ()
    takes_over: tuple[ManifestId, ...] = ()
    editions: bool = False
    reference_digest: ReferenceDigest | None = None
    id: ManifestId = field(init=False, compare=False)

    def __post_init__(self) -> None:
        metadata = self.data["metadata"]
        found = ManifestId(self.data["apiVersion"], self.data["kind"], metadata.get("namespace", ""), metadata["name"])
        object.__setattr__(self, "id", found)

    @property
    def namespace(self) -> str:
        return self.id.namespace

    @property
    def name(self) -> str:
        return self.id.name
