"""What happens to the objects of a stack, whoever says so: the engine's preview, or two plans."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loco.model import ManifestId

Operation = Literal["create", "update", "replace", "delete"]
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One object that changes.

    Attributes:
        id: as it will be; of one that goes, as it was.
        owner: the document that it belongs to, ``Kind/namespace/name``; None for the stack's own.
        before: what the stack last applied; None where the object is new.
        after: what it applies; None where the object goes. Values that only the engine knows may be missing.
        paths: the properties that differ on the cluster; None where no cluster was asked.
        reasons: of a replacement, the properties that can't change.
        retained: whether an object that the stack gives up stays on the cluster.
    """

    operation: Operation
    id: ManifestId
    owner: str | None
    before: Data | None
    after: Data | None
    paths: tuple[str, ...] | None = None
    reasons: tuple[str, ...] = ()
    retained: bool = False

    @property
    def was(self) -> ManifestId | None:
        """What stood in its place, where that was of another kind or name."""
        if self.before is None:
            return None
        metadata = self.before.get("metadata") or {}
        old = ManifestId(
            str(self.before.get("apiVersion", self.id.api_version)),
            str(self.before.get("kind", self.id.kind)),
            str(metadata.get("namespace", self.id.namespace)),
            str(metadata.get("name", self.id.name)),
        )
        return old if (old.kind, old.name) != (self.id.kind, self.id.name) and metadata.get("name") else None


@dataclass(frozen=True, slots=True)
class World:
    """A stack before and after.

    Attributes:
        changes: in the order in which they were found; what stays the same isn't among them.
        before: every object that is there, by what it is.
        after: likewise, as it will be.
        added: services and gateways that are new, ``Kind/namespace/name``.
        deleted: those that go.
    """

    changes: tuple[Change, ...]
    before: Mapping[ManifestId, Data]
    after: Mapping[ManifestId, Data]
    added: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
