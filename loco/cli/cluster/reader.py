"""What a check asks of a cluster, and the answers that there are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from loco.cli.cluster.need import Thing
from loco.cli.cluster.needs import thing_of
from loco.cli.cluster.shapes import Data
from loco.model import Manifest

Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Found(Generic[Answered]):
    """It is there. ``planned``: not yet, but the plan makes it."""

    data: Answered
    planned: bool = False


@dataclass(frozen=True, slots=True)
class Absent:
    """It isn't there. ``served`` is False when the cluster doesn't even know its kind."""

    served: bool = True


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The cluster doesn't say, because of ``why``: mostly, this user may not read it."""

    why: str


class Unreachable(Exception):
    """There is no talking to the cluster. ``cure``: what to write instead."""

    def __init__(self, why: str, cure: str) -> None:
        super().__init__(why)
        self.cure = cure


class Reader(Protocol):
    """Reads of one cluster. Each may raise Unreachable."""

    def versions(self, group: str) -> Found[list[str]] | Absent | Unreadable:
        """The versions of a group that are served, the preferred one first."""

    def kinds(self, group: str, version: str) -> Found[frozenset[str]] | Absent | Unreadable:
        """The kinds that are served at a version."""

    def get(self, thing: Thing) -> Found[Data] | Absent | Unreadable:
        """One object. The ``data`` of Secrets and ConfigMaps has keys only, each with None."""

    def all(self, group: str, kind: str) -> Found[list[Data]] | Absent | Unreadable:
        """All objects of a kind, in every namespace; never asked for Secrets."""


class PlannedFirst:
    """A cluster as it will be once the plan is applied: the plan's own objects count as being there."""

    def __init__(self, manifests: Iterable[Manifest], reader: Reader) -> None:
        self._planned = {thing_of(manifest): manifest.data for manifest in manifests}
        self._reader = reader
        self.versions = reader.versions
        self.kinds = reader.kinds
        self.all = reader.all

    def get(self, thing: Thing) -> Found[Data] | Absent | Unreadable:
        planned = self._planned.get(thing)
        return self._reader.get(thing) if planned is None else Found(planned, planned=True)
