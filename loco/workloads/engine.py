"""The probes of a pod of engines: those that can't reach what the start script runs, and one that is missing."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template
from loco.spec.tree import Path

_PORTS = (names.ENGINE_PORT, names.DECODE_ENGINE_PORT)


def failing_probes(container: Mapping[str, Any], path: Path, place: Path, resolved: Resolved) -> list[Finding]:
    """A warning for each probe of another scheme than a preset's container serves.

    ``path`` leads to the container within the pod at ``place`` of the spec.
    """
    if not resolved.origin_at(*place, *path, "command").layer.startswith("preset:"):
        return []  # nobody knows what it serves
    findings = []
    scheme = "HTTPS" if resolved.tls else "HTTP"
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        call = (container.get(probe) or {}).get("httpGet") or {}
        if call.get("port") in _PORTS and call.get("scheme", "HTTP") != scheme:
            message = f"the engine speaks {scheme} (platform.tls is {str(resolved.tls).lower()}), so this probe fails"
            where = (*path, probe, "httpGet", "scheme")
            cure = "the probe without a scheme, which then follows platform.tls"
            value = call.get("scheme")
            findings.append(
                in_template(
                    resolved,
                    where,
                    message,
                    cure,
                    place=place,
                    code="LOCO-PROBE",
                    severity="warning",
                    value=value,
                )
            )
    return findings


def without_readiness(container: Mapping[str, Any], path: Path, place: Path, resolved: Resolved) -> list[Finding]:
    """A warning where an engine that takes requests has no readiness probe.

    Kubernetes takes it for ready as soon as its process runs, so requests would fail for as long as it loads, and a
    roll would stop the next pod meanwhile.
    """
    if container.get("readinessProbe"):
        return []
    message = "without a readinessProbe the engine gets requests while it still loads, and a roll doesn't wait for it"
    scheme = ", scheme: HTTPS" if resolved.tls else ""
    port = next((each["containerPort"] for each in container.get("ports") or []), names.ENGINE_PORT)
    cure = f"readinessProbe: {{httpGet: {{path: /health, port: {port}{scheme}}}}}"
    where = (*path, "readinessProbe")
    return [in_template(resolved, where, message, cure, place=place, code="LOCO-PROBE", severity="warning")]
