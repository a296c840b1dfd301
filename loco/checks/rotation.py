"""A rotation that nothing follows from."""

from collections.abc import Collection

from loco.model import Certificate, Finding, SecretValue
from loco.spec import StackSpec
from loco.spec.tree import at
from loco.spec.validate import origin_of


def check_rotation(
    stack: StackSpec, certificates: Collection[Certificate], values: Collection[SecretValue]
) -> list[Finding]:
    """``LOCO-NO-EFFECT`` for the rotation of what the stack doesn't make; to be asked of a whole plan."""
    rotation, made = stack.config.rotation, {value.generated for value in values if value.config is None}
    findings = []
    for key, text, there, what, cure in (
        ("certificates", rotation.certificates, bool(certificates), "certificates", "platform: {tls: true}"),
        ("masterKeys", rotation.master_keys, "master-key" in made, "master keys", "masterKey: {generate: true}"),
        ("saltKeys", rotation.salt_keys, "salt-key" in made, "salt keys", "saltKey: {generate: true}"),
    ):
        if text is None or there:
            continue
        where = ("rotation", key)
        origin = origin_of(at(stack.config_tree, where), stack.config_tree.origin)
        message, cure = f"the stack has no {what} to make anew", f"{cure}, or the stack config without it"
        findings.append(Finding("LOCO-NO-EFFECT", "warning", ".".join(where), message, cure, origin, value=text))
    return findings
