"""Secret values: from the stack's config, made once and kept in its state, or somebody else's in the cluster."""

import base64
import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pulumi

from loco import names
from loco.components.kept import kept_secret
from loco.components.provider import PROVIDER_VERSION
from loco.components.register import maker, token_of
from loco.model import CredentialUse, Finding, SecretValue
from loco.spec.credential_source import own_secret
from loco.spec.stack import CONFIG

_RANDOM_BYTES = 24  # 48 hexadecimal characters
_GENERATED = {"master-key": "masterKey", "salt-key": "saltKey"}  # what loco can make, by the field of a gateway's spec


def secret_value(
    value: SecretValue, given: Mapping[str, pulumi.Input[str]] | None, parent: pulumi.Resource
) -> pulumi.Output[str]:
    """The value that a Secret of the plan is to hold, as a secret output.

    Args:
        value: which one.
        given: a program's own values by config name; None: the stack's config has them.
        parent: what a generated value belongs to.
    """
    if value.config is None:
        return _made_once(value, parent)
    if given is not None:
        return pulumi.Output.secret(given[value.config])
    return pulumi.Config().require_secret(value.config)


def check_given(
    values: Sequence[SecretValue], given: Mapping[str, pulumi.Input[str]] | None, secrets: Collection[str]
) -> list[Finding]:
    """Values that a program was to give and hasn't, and those that it gives for nothing.

    Args:
        values: what the plan's Secrets are to hold.
        given: the program's values by config name; None: the stack's config has them.
        secrets: the names that the spec knows; of these the plan has said itself where nothing reads one.
    """
    if given is None:
        return []
    findings, wanted = [], {value.config: value for value in values if value.config is not None}
    for name in sorted(wanted.keys() - given.keys()):
        secret = wanted[name].secret
        message = f"the program gives no value {name}, which key {wanted[name].key} of the Secret {secret.namespace}/{secret.name} is to hold"
        cure = f"credentials={{{name!r}: …}} of ModelServingStack, or no credentials, for the stack's own secrets"
        findings.append(Finding("LOCO-CREDENTIAL", "error", f"credentials.{name}", message, cure))
    for name in sorted(given.keys() - wanted.keys() - set(secrets)):
        message, cure = f"the program gives a value {name}, and no Secret is to hold it", "the name that the config has"
        findings.append(Finding("LOCO-NO-EFFECT", "warning", f"credentials.{name}", message, cure))
    return findings


def _made_once(value: SecretValue, parent: pulumi.Resource) -> pulumi.Output[str]:
    """A random value, kept from the first update on; under another text of the rotation's, another one."""
    made = secrets.token_hex(_RANDOM_BYTES)
    where = f"{value.secret.namespace}/{value.secret.name}"
    key = f"/{value.key}" if value.generated == "token" else ""
    fresh = made if value.generated == "token" else f"sk-{made}"
    rotation = f"/{value.rotation}" if value.rotation is not None else ""
    return kept_secret(f"{value.generated}/{where}{key}{rotation}", fresh, parent).apply(str)


def existing_value(
    use: CredentialUse,
    parent: pulumi.Resource,
    provider: pulumi.ProviderResource,
    after: pulumi.Output[pulumi.Resource],
) -> pulumi.Output[str]:
    """The value of somebody else's Secret, read through the provider; empty where Secret or key is missing.

    It is read once ``after`` is there. A run that ends with an error before its hooks are registered ends without a word.
    """
    token = token_of("v1", "Secret")
    identity = f"{use.namespace}/{use.secret}"
    options = pulumi.ResourceOptions(parent=parent, provider=provider, version=PROVIDER_VERSION)

    def ask(_: pulumi.Resource) -> Any:
        return pulumi.runtime.exists_resource(None, token, identity, {}, options)

    found: pulumi.Output[Any] = after.apply(ask)

    def read(there: bool) -> pulumi.Output[Any]:
        if not there:
            return pulumi.Output.from_input([{}, {}])
        opts = pulumi.ResourceOptions(
            id=identity,
            parent=parent,
            provider=provider,
            version=PROVIDER_VERSION,
            additional_secret_outputs=["data", "stringData"],
        )
        secret = _ExistingSecret(token, f"existing/{identity}/{use.key}", opts)
        return pulumi.Output.all(secret.data, secret.metadata)

    def decoded(parts: Sequence[Mapping[str, Any] | None]) -> str:
        data, metadata = parts
        if ((metadata or {}).get("annotations") or {}).get(names.MADE_BY) == maker():
            raise pulumi.RunError(str(own_secret(use, CONFIG)))
        if not data or not data.get(use.key):
            _missing(use, parent, "isn't there" if not data or use.key not in data else "is empty")
            return ""
        return base64.b64decode(data[use.key]).decode(errors="backslashreplace")

    value: pulumi.Output[Any] = found.apply(read)
    return pulumi.Output.secret(value.apply(decoded))


class _ExistingSecret(pulumi.CustomResource):
    data: pulumi.Output[Mapping[str, str]]
    metadata: pulumi.Output[Mapping[str, Any]]

    def __init__(self, token: str, name: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__(token, name, {"data": None, "metadata": None}, opts)


def _missing(use: CredentialUse, parent: pulumi.Resource, what: str) -> None:
    """A warning where the pods can do without it, as they can without an external model's key; else an error."""
    text = (
        f"[LOCO-CREDENTIAL]: {use.reader} reads key {use.key} of the Secret {use.namespace}/{use.secret}, which {what}"
    )
    if use.required:
        raise pulumi.RunError(f"{text}\n  write {_source_of(use)}")
    pulumi.log.warn(f"{text}\n  it counts as empty until it is there and the stack is updated again", parent)


def _source_of(use: CredentialUse) -> str:
    """Where a value that isn't there may come from. Of a database or a Redis only somebody else knows it."""
    given = f"the Secret before this stack, or credentials: {{{use.secret}: {{{use.key}: {{config: NAME}}}}}}, NAME a stack secret"
    field = _GENERATED.get(use.credential)
    return f"{given}; or let the stack make the key, {field}: {{generate: true}}" if field else given
