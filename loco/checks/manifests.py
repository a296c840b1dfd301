"""Every manifest against the Kubernetes tables: the provider drops unknown keys of built-in kinds without a word."""

from collections.abc import Iterable

from loco.model import Finding, Manifest
from loco.spec import kubernetes
from loco.spec.tree import dotted


def check_manifests(manifests: Iterable[Manifest]) -> list[Finding]:
    """``LOCO-MANIFEST`` for a field that Kubernetes doesn't have or a value that it refuses.

    What a user wrote was checked at its own line before; a finding here speaks of the finished object. A kind that is
    not in the tables is a custom resource, which the API server itself checks strictly.
    """
    findings = []
    for manifest in manifests:
        definition = kubernetes.definition_of(manifest.id.api_version, manifest.id.kind)
        if definition is None:
            continue
        for problem in kubernetes.problems(manifest.data, definition, require=True):
            message = f"Kubernetes {kubernetes.KUBERNETES_VERSION} refuses this {manifest.id.kind}: {problem.reason}"
            cure = problem.nearest or problem.expected
            where = dotted(problem.path)
            findings.append(
                Finding(
                    "LOCO-MANIFEST", "error", where, message, cure, manifest.origin, str(manifest.id), problem.value
                )
            )
    return findings
