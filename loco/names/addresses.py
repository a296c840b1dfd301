"""Where a service answers, and what a request may call its model."""

ENGINE_PORT = 8000
DECODE_ENGINE_PORT = 8001  # behind a routing sidecar, which takes the requests at ENGINE_PORT
ROUTING_HEADER = "X-Gateway-Model-Name"  # by which a gateway routes on the model


def in_cluster_hosts(service: str, namespace: str) -> tuple[str, ...]:
    """The DNS names of a Service that its clients use, the fully qualified one first."""
    return (f"{service}.{namespace}.svc.cluster.local", f"{service}.{namespace}.svc")


def publisher_name(namespace: str, model: str) -> str:
    """The fully qualified served name of a model, the same in routes and engines."""
    return f"publishers/{namespace}/models/{model}"


def served_names(namespace: str, model: str) -> tuple[str, str]:
    """What a request may give as ``model``: the plain name, then the fully qualified one."""
    return (model, publisher_name(namespace, model))
