"""The alert rules: a PrometheusRule over the stack's namespaces and workloads."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Observability
from loco.gateway.observability import queries as q
from loco.gateway.observability.alert import Alert
from loco.gateway.observability.monitors import Job
from loco.gateway.observability.pod_alerts import no_ready_pods, unscraped_pods
from loco.model import Manifest, ManifestId
from loco.spec.observability import Alerts, Thresholds

_GROUP = "monitoring.coreos.com/v1"
_GATEWAY = "namespace, service"  # each gateway has a Service, whose name its monitor puts on every series


def alerts(
    observability: Observability,
    component: str,
    settings: Alerts,
    namespaces: Mapping[str, Sequence[str]],
    workloads: Collection[ManifestId],
    jobs: Sequence[Job],
) -> Manifest:
    """The PrometheusRule.

    Args:
        namespaces: of each sort of pods that the stack has, ``engine``, ``picker`` and ``gateway``.
        workloads: what is to have a ready pod while it is asked to have any.
        jobs: what the stack's monitors have Prometheus scrape.
    """
    made = {"engine": _engines, "picker": _pickers, "gateway": _gateways}
    groups = [
        (f"{sort}s", list(made[sort](q.of(places), settings.thresholds))) for sort, places in sorted(namespaces.items())
    ]
    groups.append(("pods", [*no_ready_pods(workloads), *unscraped_pods(jobs)]))
    labels = {**names.observability_labels(observability.name), **(settings.labels or {})}
    data = {
        "apiVersion": _GROUP,
        "kind": "PrometheusRule",
        "metadata": {"name": observability.name, "namespace": observability.namespace, "labels": labels},
        "spec": {
            "groups": [
                {
                    "name": f"{observability.namespace}.{observability.name}.{name}",
                    "rules": [_rule(alert, settings) for alert in found],
                }
                for name, found in groups
                if found
            ]
        },
    }
    return Manifest(data, component, observability.origin_at("alerts"))


def _rule(alert: Alert, settings: Alerts) -> dict[str, Any]:
    return {
        "alert": alert.name,
        "expr": alert.query,
        "for": (settings.durations or {}).get(alert.name) or settings.for_ or alert.lasting,
        "labels": {"severity": alert.severity, **alert.labels, **(settings.rule_labels or {})},
        "annotations": {"summary": alert.summary},
    }


def _engines(where: str, limits: Thresholds) -> Iterator[Alert]:
    waiting = f"vllm:num_requests_waiting{{{where}}}"
    used = f"vllm:kv_cache_usage_perc{{{where}}}"
    first = q.engine_quantile(0.95, "time_to_first_token_seconds", where)
    model = "{{ $labels.model_name }} in {{ $labels.namespace }}"
    yield Alert(
        "LLMEngineQueue",
        f"max by (namespace, pod, model_name) ({waiting}) > {_number(limits.engine_queue)}",
        "{{ $value }} requests wait at {{ $labels.pod }} for " + model,
    )
    yield Alert(
        "LLMEngineKVCache",
        f"max by (namespace, pod, model_name) ({used}) > {_number(limits.kv_cache_usage)}",
        "The KV cache of {{ $labels.pod }} is {{ $value | humanizePercentage }} full, for " + model,
        lasting="15m",  # full is where a busy engine is meant to be for a while
    )
    yield Alert(
        "LLMEngineTimeToFirstToken",
        f"{first} > {_number(limits.time_to_first_token_seconds)}",
        "One answer in twenty begins after {{ $value | humanizeDuration }} or later, of "
        + model
        + ", served by {{ $labels.app_kubernetes_io_name }}",
    )


def _pickers(where: str, limits: Thresholds) -> Iterator[Alert]:
    failed, every = q.picker_rate(*q.ERRORS, where), q.picker_rate(*q.REQUESTS, where)
    yield Alert(
        "LLMPickerErrors",
        f"{q.ratio(failed, every)} > {_number(limits.picker_error_ratio)}",
        "{{ $value | humanizePercentage }} of the requests fail at endpoint pickers of {{ $labels.namespace }}",
    )


def _gateways(where: str, limits: Thresholds) -> Iterator[Alert]:
    gateway = "{{ $labels.service }} in {{ $labels.namespace }}"
    slow = q.gateway_quantile(0.95, "litellm_request_total_latency_metric", where, _GATEWAY)
    yield Alert(
        "LLMGatewayErrors",
        f"{q.gateway_error_ratio(where, _GATEWAY)} > {_number(limits.gateway_error_ratio)}",
        "{{ $value | humanizePercentage }} of the requests fail with 5xx at " + gateway,
    )
    yield Alert(
        "LLMGatewayLatency",
        f"{slow} > {_number(limits.gateway_latency_seconds)}",
        "One request in twenty takes {{ $value | humanizeDuration }} or longer at " + gateway,
    )
    yield Alert(
        "LLMExternalModelDown",
        q.only_failures(where, f"{_GATEWAY}, model_id"),
        "Requests to {{ $labels.model_id }} fail, and none succeeds, at " + gateway,
    )


def _number(value: float) -> str:
    return f"{value:.15g}"  # as written: six digits would make another number of a long one
