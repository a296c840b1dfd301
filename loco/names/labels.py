"""Labels of objects and pods, and the selectors that find them by these."""

PART_OF = "llminferenceservice"
_SERVING = {"kserve.io/component": "workload"}  # by which the workload Service and the pool find pods
ROLE = "llm-d.ai/role"


def workload_labels(service: str, role: str) -> dict[str, str]:
    """Labels of a single-node workload's object, pods and selector; ``role`` is both, decode or prefill."""
    return {**_of_component(service, "", role), **_SERVING, ROLE: role}


def leader_labels(service: str, role: str) -> dict[str, str]:
    """Labels of the pods that lead the groups of a LeaderWorkerSet; they take the requests."""
    return {**_of_component(service, "-leader", role), **_SERVING, ROLE: role}


def worker_labels(service: str, role: str, leads: bool) -> dict[str, str]:
    """Labels of a LeaderWorkerSet and its worker pods; ``leads``: the first of each group serves as its leader."""
    labels = _of_component(service, "-worker", role)
    # The reference calls a main workload's pods decode here, whatever the service has.
    return {**labels, **_SERVING, ROLE: "prefill" if role == "prefill" else "decode"} if leads else labels


def _of_component(service: str, part: str, role: str) -> dict[str, str]:
    component = f"llminferenceservice-workload{part}{'-prefill' if role == 'prefill' else ''}"
    return {**service_labels(service), "app.kubernetes.io/component": component}


def service_labels(service: str) -> dict[str, str]:
    """Labels of what stands beside the workload: its Service, its Secret."""
    return {
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": service,
        "app.kubernetes.io/part-of": PART_OF,
    }


def picker_labels(service: str) -> dict[str, str]:
    """Labels of the endpoint picker's objects, pods and selector."""
    return {**service_labels(service), "app.kubernetes.io/component": "llminferenceservice-router-scheduler"}


def tokenizer_labels(service: str) -> dict[str, str]:
    """Labels of the tokenizer's objects, pods and selector."""
    return {**service_labels(service), "app.kubernetes.io/component": "tokenizer"}


def route_labels(service: str) -> dict[str, str]:
    """Labels of the HTTPRoute."""
    return {**service_labels(service), "app.kubernetes.io/component": "llminferenceservice-router"}


def gateway_labels(name: str) -> dict[str, str]:
    """Labels of a LiteLLM gateway's objects, pods and selector."""
    return {
        "app.kubernetes.io/component": "litellm-gateway",
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": "loco",
    }


def migration_labels(name: str) -> dict[str, str]:
    """Labels of the Job that migrates a gateway's database, and of its pods, which take no requests."""
    return {**gateway_labels(name), "app.kubernetes.io/component": "litellm-migration"}


def observability_labels(name: str) -> dict[str, str]:
    """Labels of an Observability's objects."""
    return {
        "app.kubernetes.io/component": "observability",
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": "loco",
    }


def gateway_metrics_labels(name: str) -> dict[str, str]:
    """Labels of the Service in front of a LiteLLM gateway's port for metrics."""
    return {**gateway_labels(name), "app.kubernetes.io/component": "litellm-gateway-metrics"}


def account_labels(service: str) -> dict[str, str]:
    """Labels of the accounts and rights of a LeaderWorkerSet's pods."""
    return {"app.kubernetes.io/name": service, "app.kubernetes.io/part-of": PART_OF}


def workload_selector(service: str) -> dict[str, str]:
    """What selects the pods that serve requests, of either role, and no LeaderWorkerSet workers."""
    return {"app.kubernetes.io/name": service, "app.kubernetes.io/part-of": PART_OF, **_SERVING}


def decode_selector(service: str) -> dict[str, str]:
    """What selects the pods that serve whole requests where prefill has pods of its own."""
    return {**workload_selector(service), ROLE: "decode"}
