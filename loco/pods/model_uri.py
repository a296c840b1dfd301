"""Where a model's files are: the form of each scheme, and what of a service's metadata puts another in its place."""

import hashlib
import re
from dataclasses import dataclass

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_annotation, in_template
from loco.spec.rules.formats import SCHEMES
from loco.spec.tree import Path

DOWNLOADED = ("hf", "s3")
DISABLED = "storageInitializer: {enabled: false}"
CACHE_LABEL = "internal.serving.kserve.io/localmodel"
CACHE_SOURCE = "internal.serving.kserve.io/localmodel-sourceuri"
CACHE_CLAIM = "internal.serving.kserve.io/localmodel-pvc-name"

_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_EXAMPLES = {
    "hf": "hf://organization/model, or hf://organization/model:revision",
    "s3": "s3://bucket/path",
    "pvc": "pvc://claim, or pvc://claim/path/in/it",
    "oci": "oci://registry/image:tag",
    "oci+native": "oci+native://registry/image:tag",
}


@dataclass(frozen=True, slots=True)
class ModelURI:
    """A model's place, of a form that its scheme allows.

    Attributes:
        scheme: one of SCHEMES.
        place: all behind ``://``.
    """

    scheme: str
    place: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.place}"

    @property
    def claim(self) -> str:
        """The PersistentVolumeClaim of a ``pvc://``."""
        return self.place.partition("/")[0]

    @property
    def path_in_claim(self) -> str:
        """The path within it; empty for all of it."""
        return self.place.partition("/")[2].strip("/")


def model_uri(resolved: Resolved) -> tuple[ModelURI | None, list[Finding]]:
    """The place of a service's model, and what is wrong with it; None with an error.

    A service that KServe's local model cache has taken up, as its label says, has its model in the cache's claim.
    """
    written = (resolved.spec.model.uri if resolved.spec.model else None) or ""
    if CACHE_LABEL not in resolved.labels:
        return parsed(written, resolved, ("model", "uri"))
    findings = []
    for key in (CACHE_SOURCE, CACHE_CLAIM):
        if not resolved.annotations.get(key):
            message = f"the label {CACHE_LABEL} goes with this annotation, which is missing"
            findings.append(in_annotation(resolved, key, message, f"{key}: …, or no such label"))
    source, claim = resolved.annotations.get(CACHE_SOURCE, ""), resolved.annotations.get(CACHE_CLAIM, "")
    if not findings and not written.startswith(source):
        message = f"the model's uri is {written}, which does not begin with what the cache holds"
        findings.append(in_annotation(resolved, CACHE_SOURCE, message, f"{CACHE_SOURCE}: {written}", value=source))
    if findings:
        return None, findings
    key = hashlib.sha256(source.encode()).hexdigest()[:16]
    below = written.removeprefix(source).strip("/")
    return parsed(f"pvc://{claim}/models/{key}" + (f"/{below}" if below else ""), resolved, ("model", "uri"))


def parsed(
    text: str, resolved: Resolved, where: Path, schemes: tuple[str, ...] = SCHEMES
) -> tuple[ModelURI | None, list[Finding]]:
    """A text as a model's place, or None and an error about the field ``where`` of the spec."""
    scheme, separator, place = text.partition("://")
    code = "LOCO-VALUE"
    if not separator or not place:
        message, cure = "a model's uri has a scheme and a place", _EXAMPLES["hf"]
    elif scheme not in schemes:
        code = "LOCO-UNSUPPORTED"
        message = f"models from {scheme}:// aren't known here, only {', '.join(f'{known}://' for known in schemes)}"
        cure = f"{_EXAMPLES[schemes[0]]}; or {DISABLED} and volumes of your own"
    elif problem := _problem(ModelURI(scheme, place)):
        message, cure = problem, _EXAMPLES[scheme]
    else:
        return ModelURI(scheme, place), []
    return None, [in_template(resolved, where, message, cure, place=(), code=code, value=text)]


def _problem(uri: ModelURI) -> str | None:
    if any(sign.isspace() or not sign.isprintable() for sign in uri.place):
        return "a model's uri holds no space"
    if uri.scheme == "hf" and not re.fullmatch(r"[^/]+/[^/]+", uri.place):
        return "a model of Hugging Face is one organization and one model"
    if uri.scheme == "s3" and uri.place.startswith("/"):
        return "the bucket is missing"
    if uri.scheme == "pvc":
        if not uri.claim:
            return "the claim is missing"
        if not _OBJECT_NAME.fullmatch(uri.claim):
            return f"no PersistentVolumeClaim can be called {uri.claim!r}"
        if ".." in uri.place.split("/"):
            return "the path must stay within the claim"
    if uri.scheme.startswith("oci") and (uri.place.startswith("/") or uri.place.endswith((":", "@", "/"))):
        return "the image is missing"
    return None
