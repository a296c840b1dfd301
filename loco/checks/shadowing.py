"""Services of one namespace that answer to the same name: by that name only one of them is reached."""

from collections import defaultdict
from collections.abc import Sequence

from loco.layers import Resolved
from loco.model import Finding
from loco.routing import members_of, served


def check_shadowing(running: Sequence[Resolved]) -> list[Finding]:
    """``LOCO-SHADOWED``: two routed services would share a publisher path and a header, outside of a traffic group."""
    answering: dict[tuple[str, str], list[Resolved]] = defaultdict(list)
    for service in sorted(running, key=lambda service: (service.namespace, service.name)):
        if service.spec.router and service.spec.router.route:
            for name in sorted(served(service)):
                answering[service.namespace, name].append(service)
    findings = []
    for (_, name), (first, *others) in answering.items():
        for other in others:
            if other in members_of(first, running):
                continue
            message = f"{first.name} serves {name} too; by publisher path and header only one of the two is reached"
            cure = "another model.name, or one router.route.group for both"
            origin = other.origin_at("model", "name")
            where = "spec.model.name"
            findings.append(Finding("LOCO-SHADOWED", "warning", where, message, cure, origin, other.subject, name))
    return findings
