"""Secrets that a service's own pods name in their environment, against what the stack says of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import CredentialUse, Finding, Manifest
from loco.model.pod_templates import pod_templates
from loco.pods.download import INITIALIZER
from loco.pods.download_environment import DOWNLOAD_ONLY
from loco.pods.reading import containers_of, in_template
from loco.spec.credential_source import CredentialSource
from loco.spec.tree import Path
from loco.spec.validate import close_to


def environment_uses(
    workload: Manifest,
    resolved: Resolved,
    places: Iterable[Path],
    declared: Mapping[str, Mapping[str, CredentialSource]],
) -> tuple[list[CredentialUse], list[Finding]]:
    """Which Secret keys the pods of a workload read from their environment.

    Args:
        workload: the object with the pod templates.
        resolved: the service that it belongs to.
        places: for each template, where in the spec its pod stands.
        declared: the stack's ``credentials``.

    A Secret that isn't declared is left alone, with the warning ``LOCO-CREDENTIAL``: nobody makes sure that it is
    there, and its rotation starts no new pods. What a download has taken over from its engine is said of the engine.
    """
    uses: dict[tuple[str, str], CredentialUse] = {}
    unknown: list[tuple[str, str, Finding]] = []
    of_downloads: list[tuple[str, str, Finding]] = []
    for place, path, container in _containers(workload, places):
        for index, variable in enumerate(container.get("env") or []):
            reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
            if not reference or not reference.get("name") or not reference.get("key"):
                continue
            name, key = reference["name"], reference["key"]
            source = declared.get(name, {}).get(key)
            rolls = container.get("name") != INITIALIZER and variable.get("name") not in DOWNLOAD_ONLY
            if source is None:
                said = _unknown(name, key, rolls, declared, (*path, "env", index), resolved, place)
                (of_downloads if container.get("name") == INITIALIZER else unknown).append((name, key, said))
                continue
            earlier = uses.get((name, key))
            uses[name, key] = CredentialUse(
                workload.id,
                names.credential_digest(name),
                workload.namespace,
                name,
                key,
                made_here=not source.existing,
                required=not reference.get("optional", False) or (earlier is not None and earlier.required),
                rolls=rolls or (earlier is not None and earlier.rolls),
            )
    known = {(name, key) for name, key, _ in unknown}
    findings = [*unknown, *(item for item in of_downloads if item[:2] not in known)]
    return list(uses.values()), [finding for _, _, finding in findings]


def _containers(workload: Manifest, places: Iterable[Path]) -> Iterator[tuple[Path, Path, dict[str, Any]]]:
    """Every container with the place of its pod and its path in there."""
    for place, (_, template) in zip(places, pod_templates(workload.data), strict=True):
        for path, container in containers_of(template["spec"]):
            yield place, path, container


def _unknown(
    name: str,
    key: str,
    rolls: bool,
    declared: Mapping[str, Mapping[str, CredentialSource]],
    path: Path,
    resolved: Resolved,
    place: Path,
) -> Finding:
    what = f"key {key} of the Secret {name}" if name in declared else f"the Secret {name}"
    message = f"the stack says nothing of {what}, so a new value of its key {key} starts no new pods"
    if not rolls:
        message = f"the stack says nothing of {what}, so nobody makes sure that it is there for the download"
    near = close_to(name, declared) if name not in declared else close_to(key, declared[name])
    cure = f"credentials: {{{name}: {{{key}: {{existing: true}}}}}} in the stack config, or {{config: NAME}}"
    cure += f"; or did you mean {near}?" if near else ""
    return in_template(resolved, path, message, cure, place=place, code="LOCO-CREDENTIAL", severity="warning")
