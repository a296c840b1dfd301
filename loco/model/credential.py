"""Who reads which secret."""

from dataclasses import dataclass

from loco.model.manifest import ManifestId


@dataclass(frozen=True, slots=True)
class CredentialUse:
    """The pods of ``reader`` read ``key`` of the Secret ``namespace/secret``; the value itself is never here.

    ``rolls`` says whether a new value starts new pods.
    """

    reader: ManifestId
    namespace: str
    secret: str
    key: str
    rolls: bool
