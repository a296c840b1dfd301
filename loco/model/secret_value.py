"""A value that a Secret of the plan is to hold, by where it comes from; the value itself is never in a plan."""

from dataclasses import dataclass
from typing import Literal

from loco.model.manifest import ManifestId

Generated = Literal["master-key", "salt-key", "token"]


@dataclass(frozen=True, slots=True)
class SecretValue:
    """``key`` of the Secret ``secret``.

    Attributes:
        config: the stack's secret that it is; None for a value that is made once and kept in the state.
        generated: what such a value looks like: ``sk-`` and 48 hexadecimal characters, for a token 48 of them alone.
        rotation: another text asks for another value.
    """

    secret: ManifestId
    key: str
    config: str | None
    generated: Generated = "token"
    rotation: str | None = None
