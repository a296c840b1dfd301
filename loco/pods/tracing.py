"""OpenTelemetry tracing: the environment and arguments that a container exports its traces by."""

from typing import Any

from loco.layers import Resolved
from loco.pods.attaching import add_environment
from loco.spec.service import Tracing

PICKER_NAME = "inference-scheduler"
_NODE = "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME"
_POD = "OTEL_RESOURCE_ATTRIBUTES_POD_NAME"


def trace_picker(container: dict[str, Any], resolved: Resolved) -> None:
    """Makes the endpoint picker's container export traces; nothing where the service has no ``tracing``."""
    if resolved.spec.tracing is None:
        return
    arguments = [*(container.get("command") or []), *(container.get("args") or [])]
    if not any(has_flag(arguments, flag) for flag in ("--tracing", "-tracing")):
        container["args"] = [*(container.get("args") or []), "--tracing=true"]
    add_environment(container, trace_environment(resolved, resolved.spec.tracing, PICKER_NAME))


def trace_environment(resolved: Resolved, tracing: Tracing, component: str) -> list[dict[str, Any]]:
    """Variables of an OpenTelemetry SDK.

    Args:
        resolved: the service, by whose name its traces are found.
        tracing: where traces go, and which.
        component: how the traces call the container.
    """
    attributes = {
        "k8s.namespace.name": resolved.namespace,
        "k8s.node.name": f"$({_NODE})",
        "k8s.pod.name": f"$({_POD})",
        "llmisvc.name": resolved.name,
    }
    return [
        {"name": "OTEL_SERVICE_NAME", "value": component},
        {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": tracing.exporter_endpoint or ""},
        {"name": "OTEL_TRACES_EXPORTER", "value": tracing.exporter or ""},
        {"name": "OTEL_TRACES_SAMPLER", "value": tracing.sampler or ""},
        {"name": "OTEL_TRACES_SAMPLER_ARG", "value": tracing.sampler_arg or ""},
        _of_pod(_NODE, "spec.nodeName"),
        _of_pod(_POD, "metadata.name"),
        # Kubernetes expands $(NAME) of variables that stand before it.
        {"name": "OTEL_RESOURCE_ATTRIBUTES", "value": ",".join(f"{key}={value}" for key, value in attributes.items())},
    ]


def has_flag(arguments: list[str], flag: str) -> bool:
    """Whether a flag is among arguments, with its value behind a ``=`` or as the next one."""
    return any(argument == flag or argument.startswith(f"{flag}=") for argument in arguments)


def _of_pod(name: str, field: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": field}}}
