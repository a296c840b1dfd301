"""Observability: where traces go, what scrapes metrics, a dashboard and alerts (``locostack.com/v1alpha1``)."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from loco.spec.base import Positive, Spec
from loco.spec.external_model import SecretKey
from loco.spec.litellm_gateway import Variable
from loco.spec.texts import HTTPURL, Annotations, Labels

_DURATION = re.compile(r"(?=.)(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?")
_SECONDS = (86400, 3600, 60, 1)
_LONGEST = 365 * 86400  # Prometheus counts nanoseconds in 64 bits
_LABEL_NAME = re.compile(r"(?!__)[a-zA-Z_][a-zA-Z0-9_]*")
_ENVIRONMENT = re.compile(r"[-._A-Za-z0-9]{1,63}")
_OWN_CALLBACKS = {"otel": "traces", "prometheus": "metrics"}

# LiteLLM's callbacks (1.108.7) that its image has the libraries of, and that ask for no licence.
Callback = Literal[
    "agentops",
    "arize",
    "arize_phoenix",
    "aws_sqs",
    "azure_sentinel",
    "braintrust",
    "datadog",
    "datadog_llm_observability",
    "datadog_metrics",
    "galileo",
    "humanloop",
    "lago",
    "langfuse",
    "langfuse_otel",
    "langsmith",
    "langtrace",
    "levo",
    "literalai",
    "logfire",
    "newrelic",
    "openmeter",
    "opik",
    "posthog",
    "s3_v2",
    "signoz",
    "weave_otel",
]


def _duration(value: str) -> str:
    found = _DURATION.fullmatch(value)
    seconds = sum(int(part or 0) * each for part, each in zip(found.groups(), _SECONDS, strict=True)) if found else 0
    if not 0 < seconds <= _LONGEST:
        raise ValueError("a duration as Prometheus writes it, such as 30s, 5m or 1h30m, of at most a year")
    return value


def _rule_labels(labels: dict[str, str]) -> dict[str, str]:
    """Prometheus' rules, which are narrower than Kubernetes' for names and wider for values."""
    if wrong := sorted(key for key in labels if not _LABEL_NAME.fullmatch(key) or key == "alertname"):
        raise ValueError(f"labels of letters, digits and underscores, no digit first; {', '.join(wrong)} is none")
    if any(not value.isprintable() or "{{" in value for value in labels.values()):
        raise ValueError("values of one line, without a template")
    return labels


def _environment(value: str) -> str:
    if not _ENVIRONMENT.fullmatch(value):
        raise ValueError("letters, digits, dashes, dots and underscores, such as production")
    return value


AlertName = Literal[
    "LLMEngineKVCache",
    "LLMEngineQueue",
    "LLMEngineTimeToFirstToken",
    "LLMExternalModelDown",
    "LLMGatewayErrors",
    "LLMGatewayLatency",
    "LLMNoReadyPods",
    "LLMPickerErrors",
    "LLMTargetDown",
    "LLMTargetsMissing",
]
Duration = Annotated[str, AfterValidator(_duration)]
RuleLabels = Annotated[dict[str, str], AfterValidator(_rule_labels)]
Ratio = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]  # nothing is beyond 1
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class TraceHeaders(Spec):
    """Headers of every export, such as the collector's key: one text ``name=value,name=value``, in a Secret."""

    secret_ref: SecretKey


class Traces(Spec):
    """Spans of the gateways' requests, sent to an OTLP collector."""

    endpoint: HTTPURL = Field(description="Base URL of the collector, such as http://otel-collector.monitoring:4318.")
    protocol: Literal["http/protobuf", "grpc"] = Field("http/protobuf", description="OTLP over HTTP, or over gRPC.")
    headers: TraceHeaders | None = None
    environment: Annotated[str, AfterValidator(_environment)] | None = Field(
        None, description="deployment.environment of the spans; by default the stack's name."
    )


class GatewayMetrics(Spec):
    """How the gateways' metrics are reached."""

    port: Annotated[int, Field(ge=1024, le=65535)] | None = Field(
        None, description="A port of its own, without a key; by default port 4000, with the gateway's master key."
    )


class Metrics(Spec):
    """Monitors of the Prometheus operator: engines, endpoint pickers, gateways."""

    interval: Duration = Field("30s", description="How often Prometheus asks.")
    labels: Labels | None = Field(None, description="Of the monitors, by which a Prometheus selects, such as release.")
    gateway: GatewayMetrics = GatewayMetrics()


class Dashboard(Spec):
    """A Grafana dashboard as a ConfigMap, for Grafana's sidecar."""

    labels: Labels | None = Field(
        None,
        description='Of the ConfigMap, by which the sidecar selects; beside grafana_dashboard: "1", or in its place.',
    )
    annotations: Annotations | None = Field(None, description="Of the ConfigMap, such as grafana_folder.")


class Thresholds(Spec):
    """Beyond what an alert fires."""

    gateway_error_ratio: Ratio = Field(0.05, description="Of a gateway's requests, those that fail with 5xx.")
    # A quantile is never beyond the last bucket of its histogram: LiteLLM's is 600 s, vLLM's 2560 s.
    gateway_latency_seconds: Annotated[Seconds, Field(lt=600)] = Field(
        60, description="95th percentile of a gateway's requests."
    )
    engine_queue: Positive = Field(20, description="Requests that wait at one engine.")
    kv_cache_usage: Ratio = Field(0.95, description="Of one engine's KV cache.")
    time_to_first_token_seconds: Annotated[Seconds, Field(lt=2560)] = Field(
        10, description="95th percentile of a model's requests."
    )
    picker_error_ratio: Ratio = Field(0.05, description="Of an endpoint picker's requests, those that fail.")


class Alerts(Spec):
    """Alert rules as a PrometheusRule."""

    labels: Labels | None = Field(None, description="Of the PrometheusRule, by which a Prometheus selects.")
    rule_labels: RuleLabels | None = Field(None, description="Of every alert, such as the team that it goes to.")
    for_: Duration | None = Field(
        None, alias="for", description="How long something must last before an alert fires; by default each its own."
    )
    durations: dict[AlertName, Duration] | None = Field(
        None, description="The same of single alerts, by their names; before what `for` says of all."
    )
    thresholds: Thresholds = Thresholds()


class ObservabilitySpec(Spec):
    """What is watched and how; a section that isn't there is off, an empty one is on with its defaults."""

    traces: Traces | None = None
    callbacks: list[Callback] | None = Field(None, description="More of LiteLLM's callbacks, by name.")
    env: list[Variable] | None = Field(None, description="Environment variables of the gateways that callbacks read.")
    content: bool = Field(
        False, description="Let prompts and answers into traces and callbacks; by default they stay out of both."
    )
    metrics: Metrics | None = None
    dashboard: Dashboard | None = None
    alerts: Alerts | None = None

    @field_validator("callbacks", mode="before")
    @classmethod
    def _sections(cls, callbacks: object) -> object:
        for name in callbacks if isinstance(callbacks, list) else ():
            if isinstance(name, str) and (section := _OWN_CALLBACKS.get(name)):
                raise ValueError(f"{section}: …, the section that stands for the callback {name}")
        return callbacks

    @field_validator("callbacks")
    @classmethod
    def _callbacks_once(cls, callbacks: list[Callback] | None) -> list[Callback] | None:
        if callbacks is not None and len(set(callbacks)) < len(callbacks):
            raise ValueError("each callback once")
        return callbacks

    @field_validator("env")
    @classmethod
    def _variables_once(cls, env: list[Variable] | None) -> list[Variable] | None:
        found = [variable.name for variable in env or []]
        if twice := sorted({name for name in found if found.count(name) > 1}):
            raise ValueError(f"each variable once; {', '.join(twice)} stands there twice")
        return env


class ObservabilitySwitch(Spec):
    """Whether the stack is watched, as the document ``observability-<stack>`` says."""

    enabled: bool
