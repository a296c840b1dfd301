"""Where the Secrets that a gateway reads come from: the stack's config, the cluster, or nowhere."""

from collections.abc import Iterable, Mapping, Sequence

from loco.gateway.external import Variable
from loco.model import CredentialUse, Finding, Manifest, ManifestId, Origin, SecretValue
from loco.spec.credential_source import CredentialSource

Credentials = Mapping[str, Mapping[str, CredentialSource]]


def duplicate_variables(variables: Sequence[Variable]) -> list[Finding]:
    """``LOCO-DUPLICATE`` for two sources that would share one environment variable."""
    findings = []
    first: dict[str, Variable] = {}
    for variable in variables:
        earlier = first.setdefault(variable.name, variable)
        if earlier is not variable:
            message = (
                f"{variable.external.subject} {variable.path} and {earlier.external.subject} {earlier.path} "
                f"would both be the environment variable {variable.name}"
            )
            cure = "another name for one of the two documents or headers"
            origin, subject = variable.external.origin, variable.external.subject
            findings.append(Finding("LOCO-DUPLICATE", "error", variable.path, message, cure, origin, subject))
    return findings


def secrets_for(
    namespace: str, component: str, variables: Iterable[Variable], declared: Credentials, reader: ManifestId
) -> tuple[list[Manifest], list[SecretValue], list[CredentialUse], list[Finding]]:
    """The Secrets that the stack makes in the gateway's namespace, and who reads what.

    Returns manifests, the values that belong into them, the uses, and ``LOCO-CREDENTIAL`` for a key that is neither
    declared nor existing.
    """
    manifests: dict[str, Manifest] = {}
    values: dict[tuple[str, str], SecretValue] = {}
    uses: dict[tuple[str, str], CredentialUse] = {}
    findings = []
    for variable in variables:
        name, key = variable.source.name, variable.source.key
        source = declared.get(name, {}).get(key)
        if source is None:
            findings.append(_undeclared(variable))
            continue
        made_here = not source.existing
        if made_here:
            origin = variable.external.origin
            secret = manifests.setdefault(name, opaque_secret(name, namespace, component, origin))
            values[name, key] = SecretValue(secret.id, key, source.config)
        uses[name, key] = CredentialUse(reader, name, namespace, name, key, made_here)
    return list(manifests.values()), list(values.values()), list(uses.values()), findings


def opaque_secret(name: str, namespace: str, component: str | None, origin: Origin) -> Manifest:
    """A Secret without data yet."""
    data = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
    }
    return Manifest(data, component, origin)


def _undeclared(variable: Variable) -> Finding:
    name, key = variable.source.name, variable.source.key
    message = f"the stack doesn't say where key {key} of the Secret {name} comes from"
    cure = (
        f"credentials: {{{name}: {{{key}: {{config: NAME}}}}}} in the stack config, NAME a stack secret; "
        f"or {{existing: true}} if somebody else keeps the Secret"
    )
    return Finding(
        "LOCO-CREDENTIAL", "error", variable.path, message, cure, variable.external.origin, variable.external.subject
    )
