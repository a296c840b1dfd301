"""Where the Secrets that gateways read come from: the stack's config, the cluster, or nowhere."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.variables import Variable
from loco.model import CredentialUse, Edge, Finding, Manifest, ManifestId, Origin, Parts, SecretValue
from loco.model.secret_value import Generated
from loco.spec.credential_source import CredentialSource
from loco.spec.external_model import SecretKey
from loco.spec.stack import CONFIG
from loco.spec.suggest import close_to

Credentials = Mapping[str, Mapping[str, CredentialSource]]
_FIELDS = {"master-key": "masterKey", "salt-key": "saltKey"}


def uses_of(
    gateway: Gateway, variables: Iterable[Variable], declared: Credentials, reader: ManifestId
) -> tuple[list[CredentialUse], list[Finding]]:
    """Which Secret keys a gateway's pods read, its own keys first.

    Findings are ``LOCO-CREDENTIAL`` for a key that is neither declared nor existing.
    """
    own, findings = [], []
    for field, source in own_keys(gateway):
        use, finding = _own_key_use(gateway, field, source, declared, reader)
        own += use
        findings += finding
    uses, more = variable_uses(gateway, variables, declared, reader)
    return [*own, *uses], [*findings, *more]


def variable_uses(
    gateway: Gateway, variables: Iterable[Variable], declared: Credentials, reader: ManifestId
) -> tuple[list[CredentialUse], list[Finding]]:
    """The same of variables alone: which Secret keys the pods of ``reader`` have in them."""
    findings: list[Finding] = []
    uses: dict[tuple[str, str], CredentialUse] = {}
    for variable in variables:
        name, key = variable.source.name, variable.source.key
        declaration = declared.get(name, {}).get(key)
        if declaration is None:
            message, cure = undeclared(name, key, declared)
            findings.append(variable.finding("LOCO-CREDENTIAL", message, cure))
            continue
        digest = names.credential_digest(name)
        required = variable.required or ((name, key) in uses and uses[name, key].required)
        uses[name, key] = CredentialUse(
            reader, digest, gateway.namespace, name, key, made_here=not declaration.existing, required=required
        )
    return list(uses.values()), findings


def own_keys(gateway: Gateway) -> list[tuple[Generated, SecretKey]]:
    """The keys that are the gateway's own, each with the Secret that holds it."""
    keys: list[tuple[Generated, SecretKey]] = [("master-key", gateway.master_key)]
    if gateway.salt_key is not None:
        keys.append(("salt-key", gateway.salt_key))
    return keys


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


def is_generated(gateway: Gateway, which: Generated) -> bool:
    """Whether the stack makes this key of the gateway's own, one that it has, once and keeps it."""
    source = gateway.spec.master_key if which == "master-key" else gateway.spec.salt_key
    return source is None or source.secret_ref is None


def _own_key_use(
    gateway: Gateway, which: Generated, source: SecretKey, declared: Credentials, reader: ManifestId
) -> tuple[list[CredentialUse], list[Finding]]:
    """The stack makes it where it generates it, or where the config has its value; else somebody else must keep it."""
    name, key = source.name, source.key
    field = _FIELDS[which]
    generated = is_generated(gateway, which)
    use = CredentialUse(reader, which, gateway.namespace, name, key, made_here=generated, required=True)
    origin = gateway.origin_at(field, *(() if generated else ("secretRef",)))
    path = f"spec.{field}" if generated else f"spec.{field}.secretRef"
    declaration = declared.get(name, {}).get(key)
    message = None
    if generated and name in declared:
        message = f"the Secret {name} is made for the generated key, and the stack's credentials have it too"
        cure = f"{field}: {{secretRef: {{name: {name}, key: …}}}}, or the credentials without {name}"
    elif not generated and declaration is None:
        message, cure = undeclared(name, key, declared)
    elif declaration is not None:
        use = replace(use, made_here=not declaration.existing)
    if message is None:
        return [use], []
    return [], [Finding("LOCO-CREDENTIAL", "error", path, message, cure, origin, gateway.subject)]


def undeclared(name: str, key: str, declared: Credentials) -> tuple[str, str]:
    """What is said of a Secret's key whose value comes from nowhere, and what to write instead: a declared one first."""
    message = f"the stack doesn't say where key {key} of the Secret {name} comes from"
    cure = (
        f"credentials: {{{name}: {{{key}: {{config: NAME}}}}}} in the stack config, NAME a stack secret; "
        f"or {{existing: true}} if somebody else keeps the Secret"
    )
    field, near = ("key", close_to(key, declared[name])) if name in declared else ("name", close_to(name, declared))
    if near is not None:
        cure = f"{field}: {near} (did you mean {near}?); or {cure}"
    return message, cure
