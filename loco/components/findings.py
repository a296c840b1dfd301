"""Findings, told through the engine."""

from collections.abc import Sequence

import pulumi

from loco.model import Finding, errors_of


def refuse(findings: Sequence[Finding]) -> None:
    """Ends the program with all findings if one of them is an error. Call it before anything is registered.

    Raises:
        pulumi.RunError: with every finding, warnings too.
    """
    if not (errors := errors_of(findings)):
        return
    ordered = [*errors, *(finding for finding in findings if finding.severity != "error")]
    count = f"{len(errors)} error{'' if len(errors) == 1 else 's'}"
    raise pulumi.RunError("\n\n".join([f"{count}; nothing was applied", *(str(finding) for finding in ordered)]))


def warn(findings: Sequence[Finding], resource: pulumi.Resource) -> None:
    """Shows the warnings beside the resource that they are about."""
    for finding in findings:
        if finding.severity == "warning":
            pulumi.log.warn(str(finding).removeprefix("warning"), resource)  # the engine says it itself
