"""The reference's digest of a gateway's config and credentials: plain SHA-256, bit for bit as loco-operator writes it.

Whoever can read pods can try out short secrets against it, which is why it is a setting and not the default.
"""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import pulumi

from loco.components.digests import Values
from loco.model.manifest import ReferenceDigest


def reference_annotation(wanted: ReferenceDigest, namespace: str, values: Values) -> pulumi.Output[str]:
    """``locostack.com/configHash`` by the reference's formula.

    Args:
        wanted: the config's hash, and the lines.
        namespace: of the Secrets.
        values: by namespace, Secret and key; a missing one is empty.
    """
    read = [values[namespace, secret, key] for _, secret, key in wanted.lines]
    return pulumi.Output.unsecret(pulumi.Output.all(*read).apply(partial(_annotation, wanted)))


def credentials_hash(lines: Sequence[tuple[str, str]]) -> str:
    """Over ``<kind>/<object>/<secret>/<key>=`` and the value, a line each, in the given order."""
    text = "".join(f"{beginning}{value}\n" for beginning, value in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def combined_hash(config: str, credentials: str) -> str:
    """Over the two hashes in hexadecimal, one after the other."""
    return hashlib.sha256(f"{config}{credentials}".encode()).hexdigest()


def _annotation(wanted: ReferenceDigest, values: Sequence[Any]) -> str:
    lines = [(beginning, str(value)) for (beginning, _, _), value in zip(wanted.lines, values, strict=True)]
    return combined_hash(wanted.config, credentials_hash(lines))
