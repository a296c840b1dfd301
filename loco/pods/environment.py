"""Secrets that a service's own pods name in their environment, against what the stack says of them."""

from collections.abc import Mapping

from loco import names
from loco.layers import Resolved
from loco.model import CredentialUse, Finding, Manifest
from loco.pods.reading import containers_of, in_template
from loco.spec.credential_source import CredentialSource
from loco.spec.tree import Path

# Read once, to download the weights: a new value is of use to the next start, and worth no restart.
_DOWNLOAD_ONLY = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


def environment_uses(
    workload: Manifest, resolved: Resolved, place: Path, declared: Mapping[str, Mapping[str, CredentialSource]]
) -> tuple[list[CredentialUse], list[Finding]]:
    """Which Secret keys the pods of a workload read from their environment.

    Args:
        workload: the object with the pod template.
        resolved: the service that it belongs to.
        place: where in the spec the pod stands.
        declared: the stack's ``credentials``.

    A Secret that isn't declared is left alone, with the warning ``LOCO-CREDENTIAL``: its rotation starts no new pods.
    """
    uses: dict[tuple[str, str], CredentialUse] = {}
    findings = []
    for path, container in containers_of(workload.data["spec"]["template"]["spec"]):
        for index, variable in enumerate(container.get("env") or []):
            reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
            if not reference or not reference.get("name") or not reference.get("key"):
                continue
            name, key = reference["name"], reference["key"]
            source = declared.get(name, {}).get(key)
            rolls = variable.get("name") not in _DOWNLOAD_ONLY
            if source is None:
                if rolls:
                    findings.append(_unknown(name, key, (*path, "env", index), resolved, place))
                continue
            earlier = uses.get((name, key))
            uses[name, key] = CredentialUse(
                workload.id,
                names.credential_digest(name),
                workload.namespace,
                name,
                key,
                made_here=not source.existing,
                required=not reference.get("optional", False),
                rolls=rolls or (earlier is not None and earlier.rolls),
            )
    return list(uses.values()), findings


def _unknown(name: str, key: str, path: Path, resolved: Resolved, place: Path) -> Finding:
    message = f"the stack says nothing of the Secret {name}, so a new value of its key {key} starts no new pods"
    cure = f"credentials: {{{name}: {{{key}: {{existing: true}}}}}} in the stack config, or {{config: NAME}}"
    return in_template(resolved, path, message, cure, place=place, code="LOCO-CREDENTIAL", severity="warning")
