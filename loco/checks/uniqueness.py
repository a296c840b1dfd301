"""No two manifests of a plan may be one object, nor share a logical name."""

from collections.abc import Iterable

from loco import names
from loco.model import Finding, Manifest, ManifestId


def check_unique(manifests: Iterable[Manifest]) -> list[Finding]:
    """``LOCO-DUPLICATE`` for an object that two documents ask for, be it through a shortened name."""
    manifests = tuple(manifests)
    findings = []
    seen: dict[tuple[str, str, str, str], Manifest] = {}
    for manifest in manifests:
        group = manifest.id.api_version.rpartition("/")[0]
        key = (group, manifest.id.kind, manifest.namespace, manifest.name)
        first = seen.setdefault(key, manifest)
        if first is not manifest:
            message = f"{manifest.id} is asked for twice, first by {first.origin}"
            cure = "another name for one of the two documents"
            findings.append(
                Finding("LOCO-DUPLICATE", "error", "metadata.name", message, cure, manifest.origin, str(manifest.id))
            )
    logical: dict[tuple[str, str], ManifestId] = {}
    for manifest in manifests:
        name = (manifest.id.kind, names.logical_name(manifest.component, manifest.id))
        if logical.setdefault(name, manifest.id) != manifest.id and not findings:
            message = f"{manifest.id} and {logical[name]} would have one logical name"
            findings.append(
                Finding(
                    "LOCO-DUPLICATE",
                    "error",
                    "metadata.name",
                    message,
                    "another name",
                    manifest.origin,
                    str(manifest.id),
                )
            )
    return findings
