"""What pods read, as keyed digests on their templates: a reviewer sees that it changed, and nobody can guess from it.

One annotation per source beside the combined one, so that a raw diff names the cause of a rollout. The key is made
once and kept in the stack's state; without it a digest of a short secret could be guessed by whoever can read pods.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pulumi

from loco import names
from loco.components.kept import kept_secret
from loco.model import CredentialUse

_SHOWN = 16  # hexadecimal characters; 64 bits tell any two values apart

Values = Mapping[tuple[str, str, str], pulumi.Output[str]]


def digest_key(name: str, parent: pulumi.Resource) -> pulumi.Output[str]:
    """The stack's key for digests. A destroyed and re-made stack has another, and one rollout."""
    return kept_secret(name, secrets.token_hex(32), parent).apply(str)


def digest_annotations(
    uses: Sequence[CredentialUse], values: Values, stated: Mapping[str, pulumi.Input[str]], key: pulumi.Output[str]
) -> dict[str, pulumi.Input[str]]:
    """Annotations of one pod template.

    Args:
        uses: the credentials that its pods read; those that don't roll are left out.
        values: by namespace, Secret and key.
        stated: the template's own annotations, of which digests of public text enter the combined one.
        key: of the stack.
    """
    sources: dict[str, dict[str, pulumi.Output[str]]] = {}
    for use in uses:
        if use.rolls:
            sources.setdefault(use.credential, {})[use.key] = values[use.namespace, use.secret, use.key]
    digests: dict[str, pulumi.Input[str]] = {
        name: value for name, value in stated.items() if name.startswith(names.DIGEST_PREFIX)
    }
    for credential, parts in sorted(sources.items()):
        digests[f"{names.DIGEST_PREFIX}{credential}"] = _digest(key, credential, parts)
    if not digests:
        return {}
    return {**digests, names.COMBINED_DIGEST: _digest(key, "all", digests)}


def text_digest(texts: Mapping[str, pulumi.Output[str]]) -> pulumi.Output[str]:
    """What stands on pods that read these public texts when they start."""
    return pulumi.Output.all(**texts).apply(
        lambda known: hashlib.sha256(json.dumps(sorted(known.items())).encode()).hexdigest()[:_SHOWN]
    )


def _digest(key: pulumi.Output[str], name: str, parts: Mapping[str, pulumi.Input[str]]) -> pulumi.Output[str]:
    """Public, because nobody without the key can tell which value it stands for."""
    given = pulumi.Output.all(key, pulumi.Output.all(**parts))
    return pulumi.Output.unsecret(given.apply(partial(_keyed, name)))


def _keyed(name: str, args: Sequence[Any]) -> str:
    key, parts = args
    message = json.dumps([name, sorted(parts.items())], ensure_ascii=True, separators=(",", ":"))
    return hmac.new(str(key).encode(), message.encode(), hashlib.sha256).hexdigest()[:_SHOWN]
