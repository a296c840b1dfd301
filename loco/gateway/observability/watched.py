"""What a gateway's config and pods have because the stack is watched: LiteLLM's callbacks, and the variables they read.

Endpoints and keys are environment variables, never text of the config file, which holds names of callbacks alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.gateway.documents import Gateway, Observability
from loco.gateway.variables import Variable
from loco.spec.external_model import SecretKey
from loco.spec.observability import Traces

_PROTOCOLS = {"http/protobuf": "otlp_http", "grpc": "otlp_grpc"}
# LiteLLM's newer tracing: one trace for a request, and none for what is asked all day long and isn't a model. Its
# older one leaves all that to FastAPI, which has no way to leave out a path.
_ONE_TRACE = "LITELLM_OTEL_V2"
_EXCLUDED = "/health,/metrics"
_HEADERS = "OTEL_HEADERS"
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
# LiteLLM reads some settings by two names, and a gateway's own variable of the other name would win.
_OTHER_NAMES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_TRACES_ENDPOINT",
)


@dataclass(frozen=True, slots=True)
class Watched:
    """Nothing of it where the stack isn't watched.

    Attributes:
        callbacks: to be in the config, whatever else is.
        settings: more of ``litellm_settings``.
        literal: variables with their values.
        secret: variables that Secrets of the gateway's namespace hold; each may be missing.
        port: where a process of its own serves metrics, if one does.
        taken: names of variables that the gateway's own must leave alone.
        of_traces: those among them that ``env`` of the Observability must leave alone too.
    """

    callbacks: tuple[str, ...] = ()
    settings: Mapping[str, Any] | None = None
    literal: Mapping[str, str] | None = None
    secret: tuple[Variable, ...] = ()
    port: int | None = None
    taken: frozenset[str] = frozenset()
    of_traces: frozenset[str] = frozenset()


NOT_WATCHED = Watched()


def watched(gateway: Gateway, observability: Observability | None, stack: str | None) -> Watched:
    """What a gateway of the stack has because of its Observability."""
    if observability is None:
        return NOT_WATCHED
    spec = observability.spec
    own = ["otel"] if spec.traces is not None else []
    own += ["prometheus"] if spec.metrics is not None else []
    handed_on = spec.traces is not None or bool(spec.callbacks)
    literal = _of_traces(spec.traces, gateway, stack) if spec.traces is not None else {}
    if spec.traces is not None:
        literal[_CONTENT] = "SPAN_ONLY" if spec.content else "NO_CONTENT"
    of_traces = {*literal, _HEADERS, *_OTHER_NAMES} if spec.traces is not None else set()
    literal |= {variable.name: variable.value for variable in spec.env or [] if variable.value is not None}
    secret = _secret(observability)
    return Watched(
        (*own, *(spec.callbacks or [])),
        {"turn_off_message_logging": True} if handed_on and not spec.content else {},
        dict(sorted(literal.items())),
        tuple(secret),
        spec.metrics.gateway.port if spec.metrics is not None else None,
        frozenset({*of_traces, *literal, *(variable.name for variable in secret)}),
        frozenset(of_traces),
    )


def _of_traces(traces: Traces, gateway: Gateway, stack: str | None) -> dict[str, str]:
    service = names.gateway(gateway.name)
    return {
        _ONE_TRACE: "true",
        "OTEL_EXPORTER": _PROTOCOLS[traces.protocol],
        "OTEL_ENDPOINT": traces.endpoint,
        "OTEL_SERVICE_NAME": service,
        "OTEL_ENVIRONMENT_NAME": traces.environment or stack or "default",
        "OTEL_RESOURCE_ATTRIBUTES": f"k8s.deployment.name={service},k8s.namespace.name={gateway.namespace}",
        "OTEL_PYTHON_FASTAPI_EXCLUDED_URLS": _EXCLUDED,
    }


def _secret(observability: Observability) -> list[Variable]:
    spec = observability.spec
    found: list[tuple[str, SecretKey, tuple[str | int, ...]]] = []
    if spec.traces is not None and spec.traces.headers is not None:
        found.append((_HEADERS, spec.traces.headers.secret_ref, ("traces", "headers", "secretRef")))
    for index, variable in enumerate(spec.env or []):
        if variable.value_from is not None:
            found.append((variable.name, variable.value_from.secret_key_ref, ("env", index, "valueFrom")))
    return [Variable(name, source, observability, path) for name, source, path in found]
