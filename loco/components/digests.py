"""What pods read, as keyed digests on their templates: a reviewer sees that it changed, and nobody can guess from it.

One annotation per source beside the combined one, so that a raw diff names the cause of a rollout. The key is made
once and kept in the stack's state; without it a digest of a short secret could be guessed by whoever can read pods.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence

import pulumi

from loco.model import CredentialUse

_PREFIX = "locostack.com/digest."
_COMBINED = "locostack.com/configHash"
_SHOWN = 16  # hexadecimal characters; 64 bits tell any two values apart

Values = Mapping[tuple[str, str, str], pulumi.Output[str]]


def digest_key(parent: pulumi.Resource) -> pulumi.Output[str]:
    """The stack's key for digests. A destroyed and re-made stack has another, and one rollout."""
    kept = pulumi.Stash(
        "digest-key",
        input=pulumi.Output.secret(secrets.token_hex(32)),
        opts=pulumi.ResourceOptions(parent=parent, ignore_changes=["input"]),
    )
    return pulumi.Output.secret(kept.output).apply(str)


def digest_annotations(
    uses: Sequence[CredentialUse], values: Values, config: str | None, key: pulumi.Output[str]
) -> dict[str, pulumi.Output[str]]:
    """Annotations of one pod template.

    Args:
        uses: the credentials that its pods read; those that don't roll are left out.
        values: by namespace, Secret and key.
        config: text of the config file that they read, which is no secret.
        key: of the stack.
    """
    sources: dict[str, dict[str, pulumi.Output[str]]] = {}
    for use in uses:
        if use.rolls:
            sources.setdefault(use.credential, {})[use.key] = values[use.namespace, use.secret, use.key]
    digests = {}
    for name, parts in sorted(sources.items()):
        given = pulumi.Output.all(key=key, parts=pulumi.Output.all(**parts))
        digests[f"{_PREFIX}{name}"] = given.apply(lambda args, name=name: _keyed(args["key"], name, args["parts"]))
    if config is not None:
        digests[f"{_PREFIX}config"] = pulumi.Output.from_input(hashlib.sha256(config.encode()).hexdigest()[:_SHOWN])
    if not digests:
        return {}
    combined = pulumi.Output.all(key=key, parts=pulumi.Output.all(**digests)).apply(
        lambda args: _keyed(args["key"], "all", args["parts"])
    )
    return {name: pulumi.Output.unsecret(value) for name, value in {**digests, _COMBINED: combined}.items()}


def _keyed(key: str, name: str, parts: Mapping[str, str]) -> str:
    message = json.dumps([name, sorted(parts.items())], ensure_ascii=True, separators=(",", ":"))
    return hmac.new(key.encode(), message.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_SHOWN]
