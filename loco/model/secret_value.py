"""A value that a Secret of the plan is to hold, by where it comes from; the value itself is never in a plan."""

from dataclasses import dataclass

from loco.model.manifest import ManifestId


@dataclass(frozen=True, slots=True)
class SecretValue:
    """``key`` of the Secret ``secret``: the stack secret ``config``, or with None a master key that is made once."""

    secret: ManifestId
    key: str
    config: str | None
