"""How long an engine may take to start: its start-up probe's budget, by the size of its weights."""

import re
from collections.abc import Mapping
from math import ceil
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template
from loco.spec.tree import Path

# What names of models say of their parameters: 70B, 8x7B, 1.5b; of 235B-A22B the first, which is all of them.
_BILLIONS = re.compile(r"(?<![A-Za-z0-9.])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d+)?)[bB](?![A-Za-z0-9])")
# Bytes of a parameter: two as most are published, fewer where the name says that the weights are quantised.
_BYTES = 2.0
_QUANTISED = (
    (re.compile(r"(?<![a-z0-9])(?:nvfp4|mxfp4|fp4|int4|w4a\d+|awq|gptq|4bit)(?![a-z0-9])", re.IGNORECASE), 0.5),
    (re.compile(r"(?<![a-z0-9])(?:fp8|int8|w8a\d+|8bit)(?![a-z0-9])", re.IGNORECASE), 1.0),
)
_GIGABYTES_A_SECOND = 0.2  # from a disk in the network: reports tell of 12 minutes for 70 billion parameters
_WARM_UP_SECONDS = 300  # compiling, and measuring how much memory is left
_PROBE, _LIVENESS = "startupProbe", "livenessProbe"


def load_seconds(resolved: Resolved) -> int:
    """How long the weights may take from disk to GPU, as far as the model's name tells their size; 0 where not."""
    model = resolved.spec.model
    text = f"{(model.uri if model else None) or ''} {resolved.model_name}"
    found = [int(many or 1) * float(each) for many, each in _BILLIONS.findall(text)]
    size = next((size for pattern, size in _QUANTISED if pattern.search(text)), _BYTES)
    return ceil(max(found, default=0) * size / _GIGABYTES_A_SECOND)


def budget_of(container: Mapping[str, Any], probe: str) -> int | None:
    """Seconds until a container is killed whose probe never succeeds; None without the probe."""
    written = container.get(probe)
    if not written:
        return None
    waits = int(written.get("initialDelaySeconds") or 0)
    return waits + int(written.get("periodSeconds") or 10) * int(written.get("failureThreshold") or 3)


def fit_start_up(container: dict[str, Any], path: Path, place: Path, resolved: Resolved) -> list[Finding]:
    """Lets a preset's budget grow with the weights; a warning where a user's own probes may end a start too soon.

    Kubernetes asks for liveness only once the start-up probe has succeeded, so that only without one it could end a
    start. ``path`` leads to the container, which is changed, within the pod at ``place`` of the spec.
    """
    findings = _hasty(container, path, place, resolved)
    load = load_seconds(resolved)
    budget, alive = budget_of(container, _PROBE), budget_of(container, _LIVENESS)
    if budget is None:
        if alive is not None and alive < load + _WARM_UP_SECONDS:
            message = (
                f"without a {_PROBE} liveness kills the engine after {alive} seconds, "
                f"and it may take {load + _WARM_UP_SECONDS} to start"
            )
            cure = f"the {_PROBE} of the preset, without which liveness counts from the first second"
            findings.append(_warning(resolved, (*path, _LIVENESS), place, message, cure, None))
        return findings
    probe = container[_PROBE]
    written = [key for key in ("initialDelaySeconds", "periodSeconds", "failureThreshold") if key in probe]
    layers = [resolved.origin_at(*place, *path, _PROBE, key).layer for key in written]
    if all(layer.startswith("preset:") for layer in layers):
        if resolved.profile.settings.start_up == "byModelSize" and load > 0:
            period = int(probe.get("periodSeconds") or 10)
            needed = ceil((load + _WARM_UP_SECONDS) / period)
            container[_PROBE] = {**probe, "failureThreshold": max(needed, int(probe.get("failureThreshold") or 3))}
    elif budget < load:
        message = f"the engine is killed after {budget} seconds, and its weights alone may take {load} to load"
        period = int(probe.get("periodSeconds") or 10)
        cure = f"failureThreshold: {ceil((load + _WARM_UP_SECONDS) / period)}, or the probe as the preset has it"
        where: Path = (*path, _PROBE, "failureThreshold")
        findings.append(_warning(resolved, where, place, message, cure, probe.get("failureThreshold")))
    return findings


def _hasty(container: Mapping[str, Any], path: Path, place: Path, resolved: Resolved) -> list[Finding]:
    """A busy engine may miss one call."""
    if (container.get(_LIVENESS) or {}).get("failureThreshold") != 1:
        return []
    message, cure = "the engine is killed as soon as it misses one call", "failureThreshold: 3 or more"
    return [_warning(resolved, (*path, _LIVENESS, "failureThreshold"), place, message, cure, 1)]


def _warning(resolved: Resolved, where: Path, place: Path, message: str, cure: str, value: object) -> Finding:
    return in_template(resolved, where, message, cure, place=place, code="LOCO-PROBE", severity="warning", value=value)
