"""What is served: where it comes from, and who may decrypt it."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.rules.judged import Judged

_OFF_CLUSTER = ("hf", "s3")


def model(judged: Judged) -> Iterator[Finding]:
    """A uri, unless nothing at all is said of the model and nothing is to be attached; confidential settings."""
    written, storage = judged.spec.model, judged.spec.storage_initializer
    detached = storage is not None and storage.enabled is False
    if (written is None and not detached) or (written is not None and written.uri is None):
        yield judged.finding(("spec", "model", "uri"), "the model has no uri", "uri: hf://organization/model")
    confidential = written.confidential if written else None
    if written is None or confidential is None:
        return
    where = ("spec", "model", "confidential")
    if confidential.enabled is None:
        message = "nothing says whether the weights are encrypted: enabled is missing"
        yield judged.finding((*where, "enabled"), message, "enabled: true")
    scheme = (written.uri or "").partition("://")[0]
    if confidential.enabled and (detached or (scheme and scheme not in _OFF_CLUSTER)):
        message = "weights are decrypted as they are downloaded, and nothing is downloaded here"
        cure = "a uri of hf:// or s3://, or the model without confidential"
        place = (*where, "enabled")
        yield judged.finding(place, message, cure, code="LOCO-NO-EFFECT", severity="warning")
