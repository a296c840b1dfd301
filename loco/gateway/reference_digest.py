"""Which credentials the reference's digest covers, and in which order."""

import hashlib
from collections.abc import Sequence

from loco.gateway.documents import External, Gateway, Observability
from loco.gateway.variables import Variable
from loco.model.manifest import ReferenceDigest
from loco.spec import EXTERNAL_MODEL, GATEWAY


def reference_digest(gateway: Gateway, text: str, variables: Sequence[Variable]) -> ReferenceDigest | None:
    """None unless the gateway asks for it: the formula is plain, so whoever can read pods can guess a weak secret.

    One line for each credential: by kind, name and, where two documents share a name, namespace; the key or token
    first, then headers as written. The master key is no part of it; a digest of its own starts new pods.
    """
    if gateway.spec.digests != "reference":
        return None
    ordered = sorted(variables, key=lambda variable: (_kind(variable.document), *_names(variable.document)))
    lines = tuple(
        (
            f"{_kind(found.document)}/{found.document.name}/{found.source.name}/{found.source.key}=",
            found.source.name,
            found.source.key,
        )
        for found in ordered
    )
    return ReferenceDigest(hashlib.sha256(text.encode()).hexdigest(), lines)


def _kind(document: External | Gateway | Observability) -> str:
    return EXTERNAL_MODEL if isinstance(document, External) else GATEWAY


def _names(document: External | Gateway | Observability) -> tuple[str, str]:
    return document.name, document.namespace
