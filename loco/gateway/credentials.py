"""Where the Secrets that gateways read come from: the stack's config, the cluster, or nowhere."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.variables import Variable
from loco.model import CredentialUse, Edge, Finding, Manifest, ManifestId, Origin, Parts, SecretValue
from loco.spec.credential_source import CredentialSource
from loco.spec.stack import CONFIG

Credentials = Mapping[str, Mapping[str, CredentialSource]]


def uses_of(
    gateway: Gateway, variables: Iterable[Variable], declared: Credentials, reader: ManifestId
) -> tuple[list[CredentialUse], list[Finding]]:
    """Which Secret keys a gateway's pods read, the master key first.

    Findings are ``LOCO-CREDENTIAL`` for a key that is neither declared nor existing.
    """
    master, findings = _master_key_use(gateway, declared, reader)
    uses: dict[tuple[str, str], CredentialUse] = {}
    for variable in variables:
        name, key = variable.source.name, variable.source.key
        source = declared.get(name, {}).get(key)
        if source is None:
            message, cure = _undeclared(name, key)
            findings.append(variable.finding("LOCO-CREDENTIAL", message, cure))
            continue
        digest = names.credential_digest(name)
        uses[name, key] = CredentialUse(reader, digest, gateway.namespace, name, key, made_here=not source.existing)
    return [*master, *uses.values()], findings


def credential_secrets(uses: Iterable[CredentialUse], declared: Credentials) -> Parts:
    """The Secrets that the stack makes from its config, each once in every namespace whose pods read it.

    They belong to the stack rather than to a reader: a second one must not move them.
    """
    parts = Parts()
    manifests: dict[ManifestId, Manifest] = {}
    values: dict[tuple[ManifestId, str], SecretValue] = {}
    for use in uses:
        source = declared.get(use.secret, {}).get(use.key)
        if not use.made_here or source is None:
            continue
        secret = opaque_secret(use.secret, use.namespace, None, CONFIG)
        edge = Edge(secret.id, use.reader, "its pods read it")
        if edge not in parts.edges:
            parts.edges.append(edge)
        manifests.setdefault(secret.id, secret)
        values[secret.id, use.key] = SecretValue(secret.id, use.key, source.config)
    parts.manifests += manifests.values()
    parts.secret_values += values.values()
    return parts


def opaque_secret(name: str, namespace: str, component: str | None, origin: Origin) -> Manifest:
    """A Secret without data yet."""
    data = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
    }
    return Manifest(data, component, origin)


def _master_key_use(
    gateway: Gateway, declared: Credentials, reader: ManifestId
) -> tuple[list[CredentialUse], list[Finding]]:
    """The stack makes it where it generates it, or where the config has its value; else somebody else keeps it."""
    name, key = gateway.master_key.name, gateway.master_key.key
    generated = gateway.spec.master_key.secret_ref is None
    use = CredentialUse(reader, "master-key", gateway.namespace, name, key, made_here=generated, required=True)
    origin = gateway.origin_at("masterKey", *(() if generated else ("secretRef",)))
    path = "spec.masterKey" if generated else "spec.masterKey.secretRef"
    source = declared.get(name, {}).get(key)
    message = None
    if generated and name in declared:
        message = f"the Secret {name} is made for the generated master key, and the stack's credentials have it too"
        cure = f"masterKey: {{secretRef: {{name: {name}, key: …}}}}, or the credentials without {name}"
    elif not generated and name in declared and source is None:
        message, cure = _undeclared(name, key)
    elif source is not None:
        use = replace(use, made_here=not source.existing)
    if message is None:
        return [use], []
    return [], [Finding("LOCO-CREDENTIAL", "error", path, message, cure, origin, gateway.subject)]


def _undeclared(name: str, key: str) -> tuple[str, str]:
    message = f"the stack doesn't say where key {key} of the Secret {name} comes from"
    cure = (
        f"credentials: {{{name}: {{{key}: {{config: NAME}}}}}} in the stack config, NAME a stack secret; "
        f"or {{existing: true}} if somebody else keeps the Secret"
    )
    return message, cure
