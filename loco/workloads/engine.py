"""The engine's container, where what a user wrote and what the start script does don't fit together."""

from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template
from loco.spec.tree import Path
from loco.workloads.rollout import gpus_of


def without_effect(engine: Mapping[str, Any], path: Path, resolved: Resolved) -> list[Finding]:
    """Warnings for fields that only the preset's command reads, and probes that can't reach what it starts."""
    if not resolved.origin_at("template", *path, "command").layer.startswith("preset:"):
        return _own_command(path, resolved)
    findings = []
    scheme = "HTTPS" if resolved.tls else "HTTP"
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        call = (engine.get(probe) or {}).get("httpGet") or {}
        if call.get("port") == names.ENGINE_PORT and call.get("scheme", "HTTP") != scheme:
            message = f"the engine speaks {scheme} (platform.tls is {str(resolved.tls).lower()}), so this probe fails"
            where = (*path, probe, "httpGet", "scheme")
            findings.append(
                in_template(
                    resolved,
                    where,
                    message,
                    "the probe without a scheme, which then follows platform.tls",
                    code="LOCO-PROBE",
                    severity="warning",
                    value=call.get("scheme"),
                )
            )
    return findings


def too_few_gpus(engine: Mapping[str, Any], resolved: Resolved) -> list[Finding]:
    """An error where tensor parallelism spans more GPUs than the engine asks for: it would wait for them for ever.

    An engine that asks for none, on CPUs or with claimed devices, is left alone.
    """
    tensor = (resolved.spec.parallelism.tensor if resolved.spec.parallelism else None) or 1
    gpus = gpus_of({"containers": [engine]})
    if gpus == 0 or tensor <= gpus:
        return []
    message = f"the engine spreads each layer over {tensor} GPUs, and its container asks for {gpus}"
    cure = f"tensor: {gpus}, or {tensor} GPUs among the container's limits"
    origin = resolved.origin_at("parallelism", "tensor")
    where = "spec.parallelism.tensor"
    return [Finding("LOCO-VALUE", "error", where, message, cure, origin, resolved.subject, tensor)]


def _own_command(path: Path, resolved: Resolved) -> list[Finding]:
    """``parallelism`` becomes a flag in the preset's command; with another command nothing reads it."""
    if resolved.spec.parallelism is None or resolved.spec.parallelism.tensor is None:
        return []
    message = "with a command of your own nothing turns this into a flag of the engine"
    cure = "the flag in your command, or the container without command"
    origin = resolved.origin_at("parallelism", "tensor")
    where = "spec.parallelism.tensor"
    return [Finding("LOCO-NO-EFFECT", "warning", where, message, cure, origin, resolved.subject)]
