"""Traces of engines."""

from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.attaching import add_environment
from loco.pods.reading import in_template
from loco.pods.tracing import trace_environment
from loco.spec.service import Tracing
from loco.spec.tree import Path
from loco.workloads.command import runs_script, says
from loco.workloads.side import Side

_WHERE: Path = ("tracing",)
_NAMES = {"both": "inference-server-decode", "decode": "inference-server-decode", "prefill": "inference-server-prefill"}
_ENDPOINT = "--otlp-traces-endpoint"
_DETAILS = "--collect-detailed-traces"


def attach_tracing(
    pod: dict[str, Any], container: dict[str, Any], resolved: Resolved, side: Side, place: Path
) -> list[Finding]:
    """Gives the engine the environment of an OpenTelemetry SDK, and behind its own arguments vLLM's flags."""
    tracing = resolved.spec.tracing
    if tracing is None:
        return []
    findings = _refused(tracing, resolved)
    if findings:
        return findings
    endpoint = tracing.exporter_endpoint or ""
    if not endpoint:
        message = "without an endpoint to send them to, engines have no traces"
        return [_without_effect(resolved, (*_WHERE, "exporterEndpoint"), message, "http://otel-collector:4317")]
    add_environment(container, trace_environment(resolved, tracing, _NAMES[side.role]))
    script = runs_script(pod, container, resolved, place)
    missing = [
        [flag, value] for flag, value in ((_ENDPOINT, endpoint), (_DETAILS, "all")) if not says(container, flag, script)
    ]
    if missing and not script:
        flags = " ".join(f"{flag} {value}" for flag, value in missing)
        message = "with a command of your own nothing turns this into flags of the engine"
        return [_without_effect(resolved, _WHERE, message, f"in your command: {flags}")]
    for pair in missing:
        container["args"] = [*(container.get("args") or []), *pair]
    return []


def _refused(tracing: Tracing, resolved: Resolved) -> list[Finding]:
    findings = []
    endpoint = tracing.exporter_endpoint or ""
    if endpoint and ("://" not in endpoint or any(sign.isspace() for sign in endpoint)):
        findings.append(
            _error(resolved, "exporterEndpoint", "this is no URL", "http://otel-collector:4317", value=endpoint)
        )
    if (tracing.sampler or "").endswith("traceidratio") and not _is_share(tracing.sampler_arg or "1"):
        message = f"the sampler {tracing.sampler} takes a share of all traces"
        findings.append(_error(resolved, "samplerArg", message, '"0.05"', value=tracing.sampler_arg))
    return findings


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _error(resolved: Resolved, key: str, message: str, cure: str, value: object) -> Finding:
    return in_template(resolved, (*_WHERE, key), message, cure, place=(), value=value)


def _without_effect(resolved: Resolved, where: Path, message: str, cure: str) -> Finding:
    return in_template(resolved, where, message, cure, place=(), code="LOCO-NO-EFFECT", severity="warning")
