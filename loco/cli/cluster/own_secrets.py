"""Secrets that the stack's config calls somebody else's, and that this very stack has made."""

from collections.abc import Iterable

from loco import names
from loco.cli.cluster.need import Thing
from loco.cli.cluster.reader import Found, Reader
from loco.cli.cluster.shapes import mapping
from loco.model import CredentialUse, Finding
from loco.spec.credential_source import own_secret
from loco.spec.stack import CONFIG
from loco.spec.tree import Branch, at
from loco.spec.validate import origin_of


def check_own_secrets(
    uses: Iterable[CredentialUse], maker: str | None, config: Branch, reader: Reader
) -> list[Finding]:
    """``LOCO-CREDENTIAL`` for each of their keys, as the engine refuses it. What can't be read is said elsewhere.

    Args:
        uses: the plan's.
        maker: how a Secret says that this stack has made it; None where there is no stack.
        config: the stack config, for the lines of its credentials.
        reader: of the cluster as it is, without the plan.
    """
    findings: dict[tuple[str, str, str], Finding] = {}
    for use in uses:
        if use.made_here or maker is None:
            continue
        found = reader.get(Thing("", "Secret", use.namespace, use.secret))
        annotations = (
            mapping(mapping(found.data.get("metadata")).get("annotations")) if isinstance(found, Found) else {}
        )
        if annotations.get(names.MADE_BY) == maker:
            origin = origin_of(at(config, ("credentials", use.secret, use.key)), CONFIG)
            findings[use.namespace, use.secret, use.key] = own_secret(use, origin)
    return list(findings.values())
