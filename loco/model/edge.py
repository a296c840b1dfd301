"""An order between two objects of a plan."""

from dataclasses import dataclass

from loco.model.manifest import ManifestId


@dataclass(frozen=True, slots=True)
class Edge:
    """``before`` is created before ``after`` and deleted after it, because of ``why``."""

    before: ManifestId
    after: ManifestId
    why: str
