"""Every manifest against the Kubernetes tables: the provider drops unknown keys of built-in kinds without a word."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from loco.model import Finding, Manifest
from loco.model.pod_templates import pod_templates
from loco.spec import kubernetes
from loco.spec.tree import dotted


def check_manifests(manifests: Iterable[Manifest]) -> list[Finding]:
    """``LOCO-MANIFEST`` for a field that Kubernetes doesn't have or a value that it refuses.

    What a user wrote was checked at its own line before; a finding here speaks of the finished object. A kind that is
    not in the tables is a custom resource, which the API server itself checks strictly; but for the pods that it makes,
    which are refused only when somebody makes them.
    """
    findings = []
    for manifest in manifests:
        for problem in _problems(manifest):
            message = f"Kubernetes {kubernetes.KUBERNETES_VERSION} refuses this {manifest.id.kind}: {problem.reason}"
            cure = problem.nearest or problem.expected
            where = dotted(problem.path)
            findings.append(
                Finding(
                    "LOCO-MANIFEST", "error", where, message, cure, manifest.origin, str(manifest.id), problem.value
                )
            )
    return findings


def _problems(manifest: Manifest) -> Iterator[kubernetes.Problem]:
    definition = kubernetes.definition_of(manifest.id.api_version, manifest.id.kind)
    if definition is not None:
        yield from kubernetes.problems(manifest.data, definition, require=True)
        return
    for path, template in pod_templates(manifest.data):
        for problem in kubernetes.problems(template, "PodTemplateSpec", require=True):
            yield replace(problem, path=(*path, *problem.path))
