"""Findings that only follow from another one: whoever mends that one never meets them."""

import re
from collections.abc import Collection, Iterable

from loco.model import Finding, Manifest, errors_of

_GATEWAY = re.compile(r"^platform\.gateway($|[.\[])")
_ASKS_FOR_IT = "platform: {gateway: "  # how the cure of a finding begins that wants a value written there


def without_follow_ons(
    findings: Iterable[Finding], of_config: Collection[Finding], manifests: Iterable[Manifest], sound: bool = True
) -> list[Finding]:
    """The findings without those that follow from others among them.

    Args:
        findings: all of the plan's.
        of_config: what reading found; where the platform's Gateway is at fault, it may be planned without any.
        manifests: the plan's; pods of a service that was refused aren't among them, so nothing selects them.
        sound: whether every document could be read; if not, any pods may be missing.
    """
    findings = list(findings)
    errors = errors_of(findings)
    faulty_gateway = any(_GATEWAY.match(error.path) for error in errors_of(of_config))
    refused = {error.subject for error in errors if error.subject is not None}
    podless = {str(manifest.id) for manifest in manifests if manifest.component in refused}
    return [
        finding
        for finding in findings
        if finding in of_config
        or not (
            (faulty_gateway and finding.cure.startswith(_ASKS_FOR_IT))
            or (
                finding.code == "LOCO-SELECTOR"
                and finding.severity == "warning"
                and (not sound or finding.subject in podless)
            )
        )
    ]
