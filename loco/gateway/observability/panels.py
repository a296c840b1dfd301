"""What the dashboard shows: a row for each sort of pod that the stack has, each panel with its queries."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from loco.gateway.observability import queries as q
from loco.gateway.observability.pod_alerts import COUNTED
from loco.model import ManifestId


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph over time.

    Attributes:
        unit: as Grafana calls it.
        queries: each with its legend, in which ``{{label}}`` stands for a label's value.
    """

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PanelRow:
    title: str
    panels: tuple[Panel, ...]


_MODEL, _POD = "{{namespace}} {{app_kubernetes_io_name}} {{model_name}}", "{{namespace}} {{pod}}"
_NAMED, _PLACE = "{{namespace}} {{requested_model}}", "{{namespace}}"


def panel_rows(where: str, sorts: Sequence[str], workloads: Collection[ManifestId]) -> list[PanelRow]:
    """The pods of all workloads, and the rows of the sorts ``engine``, ``picker`` and ``gateway`` that are named."""
    made = {"engine": _engines, "picker": _pickers, "gateway": _gateways}
    pods = [_pods(where, workloads)] if workloads else []
    return [*pods, *(row(where) for sort, row in made.items() if sort in sorts)]


def _pods(where: str, workloads: Collection[ManifestId]) -> PanelRow:
    """By kube-state-metrics."""
    queries = []
    for kind, counted in COUNTED.items():
        if found := sorted({workload.name for workload in workloads if workload.kind == kind}):
            named = f'{counted.label}=~"{"|".join(found)}"'
            queries.append((f"{counted.ready}{{{where}, {named}}}", f"{_PLACE} {{{{{counted.label}}}}}"))
    return PanelRow("Pods", (Panel("Ready pods", "short", tuple(queries)),))


def _engines(where: str) -> PanelRow:
    hits, asked = q.engine_rate("prefix_cache_hits", where), q.engine_rate("prefix_cache_queries", where)
    return PanelRow(
        "Engines",
        (
            Panel(
                "Requests",
                "short",
                (
                    (q.total(q.MODEL, f"vllm:num_requests_running{{{where}}}"), f"{_MODEL} running"),
                    (q.total(q.MODEL, f"vllm:num_requests_waiting{{{where}}}"), f"{_MODEL} waiting"),
                ),
            ),
            Panel("KV cache in use", "percentunit", ((f"vllm:kv_cache_usage_perc{{{where}}}", _POD),)),
            _spread(
                "Time to first token", lambda share: q.engine_quantile(share, "time_to_first_token_seconds", where)
            ),
            _spread("Time per token", lambda share: q.time_per_token(share, where)),
            _spread(
                "Duration of requests", lambda share: q.engine_quantile(share, "e2e_request_latency_seconds", where)
            ),
            Panel(
                "Time in the queue, p95",
                "s",
                ((q.engine_quantile(0.95, "request_queue_time_seconds", where), _MODEL),),
            ),
            Panel(
                "Tokens per second",
                "short",
                (
                    (q.engine_rate("prompt_tokens", where), f"{_MODEL} prompt"),
                    (q.engine_rate("generation_tokens", where), f"{_MODEL} generated"),
                ),
            ),
            Panel(
                "Finished requests per second",
                "reqps",
                (
                    (
                        q.engine_rate("request_success", where, f"{q.MODEL}, finished_reason"),
                        f"{_MODEL} {{{{finished_reason}}}}",
                    ),
                ),
            ),
            Panel("Prefix cache hits", "percentunit", ((q.ratio(hits, asked), _MODEL),)),
            Panel("Preemptions per second", "short", ((q.engine_rate("num_preemptions", where), _MODEL),)),
        ),
    )


def _spread(title: str, quantile: Callable[[float], str]) -> Panel:
    """How long something takes for half of the requests, and for all but one in twenty."""
    return Panel(
        title, "s", tuple((quantile(share), f"{_MODEL} {name}") for share, name in ((0.5, "p50"), (0.95, "p95")))
    )


def _pickers(where: str) -> PanelRow:
    return PanelRow(
        "Endpoint pickers",
        (
            Panel(
                "Requests per second",
                "reqps",
                (
                    (q.picker_rate(*q.REQUESTS, where), f"{_PLACE} all"),
                    (q.picker_rate(*q.ERRORS, where), f"{_PLACE} failed"),
                ),
            ),
            Panel("Duration of requests, p95", "s", ((q.picker_quantile(0.95, *q.DURATION, where), _PLACE),)),
            Panel("Average queue of a pool's engines", "short", ((q.picker_gauge(*q.QUEUE, where), _POD),)),
            Panel("Requests held back", "short", ((q.picker_gauge(*q.FLOW_QUEUE, where), _POD),)),
            Panel("Choices per second", "short", ((q.picker_rate(*q.ATTEMPTS, where), _PLACE),)),
        ),
    )


def _gateways(where: str) -> PanelRow:
    model = "namespace, requested_model"
    latencies = (
        ("litellm_request_total_latency_metric", "in all"),
        ("litellm_llm_api_latency_metric", "at the model"),
    )
    return PanelRow(
        "Gateways",
        (
            Panel("Requests per second", "reqps", ((q.gateway_requests(where, model), _NAMED),)),
            Panel("Requests that fail", "percentunit", ((q.gateway_error_ratio(where, model), _NAMED),)),
            Panel(
                "Requests beyond a limit (429) per second",
                "reqps",
                ((q.gateway_requests(where, model, 'status_code="429"'), _NAMED),),
            ),
            Panel(
                "Duration of requests, p95",
                "s",
                tuple((q.gateway_quantile(0.95, name, where, model), f"{_NAMED} {what}") for name, what in latencies),
            ),
            Panel(
                "LiteLLM's own share of it, p95",
                "s",
                ((q.gateway_quantile(0.95, "litellm_overhead_latency_metric", where, "namespace"), _PLACE),),
            ),
            Panel(
                "Time to first token, p95",
                "s",
                ((q.gateway_quantile(0.95, "litellm_llm_api_time_to_first_token_metric", where, model), _NAMED),),
            ),
            Panel("Requests in flight", "short", ((f"litellm_in_flight_requests{{{where}}}", _POD),)),
            Panel(
                "Tokens per second",
                "short",
                ((q.total(model, q.rate("litellm_total_tokens_metric_total", where)), _NAMED),),
            ),
            Panel(
                "Models that fail (1 at times, 2 always)",
                "short",
                (
                    (
                        f"max by (namespace, model_id) (litellm_deployment_state{{{where}}})",
                        "{{namespace}} {{model_id}}",
                    ),
                ),
            ),
        ),
    )
