"""How a model's files reach a container: downloaded, from a claim, or from an image."""

from collections.abc import Sequence
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import add_mount, add_volume
from loco.pods.download import Download, attach_downloads, taken, unused_initializer
from loco.pods.download_environment import STORAGE_SECRET
from loco.pods.model_uri import DOWNLOADED, ModelURI, model_uri
from loco.pods.modelcar import attach_image, attach_modelcar, moving_image
from loco.pods.reading import in_annotation
from loco.spec.tree import Path

MODEL_PATH = "/mnt/models"
_CLAIM_VOLUME = "kserve-pvc-source"


def is_attached(resolved: Resolved) -> bool:
    """Whether loco brings a service's files to its containers, or the user does."""
    settings = resolved.spec.storage_initializer
    return settings is None or settings.enabled is not False


def attach_model_files(
    pod: dict[str, Any],
    container: dict[str, Any],
    resolved: Resolved,
    place: Path,
    *,
    path: str = MODEL_PATH,
    adapters: Sequence[Download] = (),
) -> list[Finding]:
    """Gives ``container`` of ``pod`` the service's model at ``path``, unless ``storageInitializer.enabled`` is false.

    Args:
        pod, container: they are changed, unless there is an error.
        resolved: the service.
        place: where in the spec the pod stands, such as ``("template",)``.
        path: where the container looks for the model.
        adapters: what is downloaded besides.
    """
    if not is_attached(resolved):
        return []
    uri, findings = model_uri(resolved)
    if uri is None:
        return findings
    if uri.scheme in DOWNLOADED:
        # A lone model is always downloaded to one path, from which the container may mount it elsewhere.
        downloads = [Download(uri, MODEL_PATH), *adapters]
        target = None if adapters else path
        return attach_downloads(pod, container, resolved, place, downloads, target=target)
    root = None
    if uri.scheme == "pvc":
        findings = _attach_claim(pod, container, uri, path, resolved, place)
    else:
        native = uri.scheme == "oci+native" or resolved.profile.settings.oci_mode == "native"
        attach = attach_image if native else attach_modelcar
        findings = attach(pod, container, uri.place, path, resolved, place) + moving_image(uri.place, resolved)
        root = None if native else path.rpartition("/")[0]  # the link to the image and the downloads share a volume
    if adapters:
        return findings + attach_downloads(pod, container, resolved, place, adapters, root=root)
    if resolved.annotations.get(STORAGE_SECRET):
        message = f"a model from {uri.scheme}:// is not downloaded, so nothing reads this Secret"
        findings.append(
            in_annotation(
                resolved,
                STORAGE_SECRET,
                message,
                "the service without it",
                code="LOCO-NO-EFFECT",
                severity="warning",
            )
        )
    return findings + unused_initializer(pod, resolved, place)


def _attach_claim(
    pod: dict[str, Any], container: dict[str, Any], uri: ModelURI, path: str, resolved: Resolved, place: Path
) -> list[Finding]:
    findings = taken(pod, container, resolved, place, path, _CLAIM_VOLUME)
    if not findings:
        add_volume(pod, {"name": _CLAIM_VOLUME, "persistentVolumeClaim": {"claimName": uri.claim}})
        mount = {"name": _CLAIM_VOLUME, "mountPath": path, "readOnly": True}
        if uri.path_in_claim:
            mount["subPath"] = uri.path_in_claim
        add_mount(container, mount)
    return findings
