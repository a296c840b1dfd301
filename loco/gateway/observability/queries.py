"""PromQL over the metrics of engines, endpoint pickers and gateways, of some namespaces alone.

Metric names are of vLLM from 0.10 on, of the llm-d router (its older names too) and of LiteLLM 1.108.
"""

from collections.abc import Iterable

_WINDOW = "5m"
_POD = "namespace, pod"
# Monitors put the label of pods that has the service's name on every series; two services may serve one model's name.
MODEL = "namespace, app_kubernetes_io_name, model_name"


def of(namespaces: Iterable[str], *more: str) -> str:
    """Matchers of series from these namespaces. A namespace's name has nothing that a pattern would read otherwise."""
    return ", ".join((f'namespace=~"{"|".join(namespaces)}"', *more))


def rate(metric: str, where: str) -> str:
    """Per second, of every series of a counter."""
    return f"rate({metric}{{{where}}}[{_WINDOW}])"


def total(by: str, query: str) -> str:
    """The sum of a query's series for each value of some labels."""
    return f"sum by ({by}) ({query})"


def quantile(share: float, histogram: str, by: str) -> str:
    """A quantile, for each value of some labels, of a query whose series are rates of a histogram's buckets."""
    return f"histogram_quantile({share}, {total(f'le, {by}', histogram)})"


def ratio(part: str, whole: str) -> str:
    """How much of the whole the part is; nothing where there is no whole, and 0 where there is no part."""
    return f"(({part}) or ({whole}) * 0) / (({whole}) > 0)"


def either(new: str, old: str) -> str:
    """The newer of two queries, and the older for pods that don't have the newer: an image may export one or both."""
    return f"({new}) or (({old}) unless on ({_POD}) ({new}))"


# ---------------------------------------------------------------- engines
def engine_rate(metric: str, where: str, by: str = MODEL) -> str:
    """Of a vLLM counter; Python's client ends its name in ``_total``."""
    return total(by, rate(f"vllm:{metric}_total", where))


def engine_quantile(share: float, metric: str, where: str, by: str = MODEL) -> str:
    """Of a vLLM histogram."""
    return quantile(share, rate(f"vllm:{metric}_bucket", where), by)


def time_per_token(share: float, where: str, by: str = MODEL) -> str:
    """Between two tokens of an answer, by the name that the engine's version has for it."""
    new = rate("vllm:inter_token_latency_seconds_bucket", where)
    old = rate("vllm:time_per_output_token_seconds_bucket", where)
    return quantile(share, either(new, old), by)


# ---------------------------------------------------------------- endpoint pickers
def picker_rate(new: str, old: str, where: str, by: str = "namespace") -> str:
    """Of a counter under its newer or its older name."""
    return total(by, either(total(_POD, rate(new, where)), total(_POD, rate(old, where))))


def picker_quantile(share: float, new: str, old: str, where: str, by: str = "namespace") -> str:
    """Of a histogram under its newer or its older name."""
    buckets = [total(f"le, {_POD}", rate(f"{name}_bucket", where)) for name in (new, old)]
    return quantile(share, either(*buckets), by)


def picker_gauge(new: str, old: str, where: str, by: str = "namespace, pod") -> str:
    """The highest value of a gauge under its newer or its older name."""
    return f"max by ({by}) ({either(f'{new}{{{where}}}', f'{old}{{{where}}}')})"


REQUESTS = ("llm_d_epp_request_total", "inference_objective_request_total")
ERRORS = ("llm_d_epp_request_error_total", "inference_objective_request_error_total")
DURATION = ("llm_d_epp_request_duration_seconds", "inference_objective_request_duration_seconds")
QUEUE = ("llm_d_epp_average_queue_size", "inference_pool_average_queue_size")
FLOW_QUEUE = ("llm_d_epp_flow_control_queue_size", "inference_extension_flow_control_queue_size")
ATTEMPTS = ("llm_d_epp_scheduler_attempts_total", "inference_extension_scheduler_attempts_total")


# ---------------------------------------------------------------- gateways
def gateway_requests(where: str, by: str, *matchers: str) -> str:
    """Requests per second at gateways; ``matchers`` such as ``status_code=~"5.."``."""
    return total(by, rate("litellm_proxy_total_requests_metric_total", ", ".join((where, *matchers))))


def gateway_error_ratio(where: str, by: str) -> str:
    """Of the requests those that failed for no fault of the client's."""
    return ratio(gateway_requests(where, by, 'status_code=~"5.."'), gateway_requests(where, by))


def only_failures(where: str, by: str) -> str:
    """Failures per second at external models of which no request succeeds, for no fault of the client's.

    ``litellm_deployment_state`` is the outcome of a pod's last request, however old, so it can't tell that.
    """
    external = f'{where}, model_id=~"externalmodel/.*"'
    failed = rate("litellm_deployment_failure_responses_total", f'{external}, exception_status!~"400|413|422"')
    succeeded = rate("litellm_deployment_success_responses_total", external)
    return f"({total(by, failed)} > 0) unless on ({by}) ({total(by, succeeded)} > 0)"


def gateway_quantile(share: float, metric: str, where: str, by: str) -> str:
    """Of one of LiteLLM's latencies."""
    return quantile(share, rate(f"{metric}_bucket", where), by)
