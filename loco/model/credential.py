"""Who reads which secret."""

from dataclasses import dataclass

from loco.model.manifest import ManifestId


@dataclass(frozen=True, slots=True)
class CredentialUse:
    """The pods of ``reader`` read ``key`` of the Secret ``namespace/secret``; the value itself is never here.

    Attributes:
        credential: how the digest's annotation calls it, ``locostack.com/digest.<credential>``.
        made_here: whether the plan has the Secret; otherwise it is somebody else's and is read from the cluster.
        required: whether the pods can't do without it.
        rolls: whether a new value starts new pods.
    """

    reader: ManifestId
    credential: str
    namespace: str
    secret: str
    key: str
    made_here: bool
    required: bool = False
    rolls: bool = True
