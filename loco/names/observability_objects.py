"""Names of the objects of an Observability, and of that document itself."""

import re

from loco.names.child_names import child_name, md5

_WATCHED = "observability-"


def observability(stack: str) -> str:
    """The document that says how a stack is watched; what no object's name may hold of the stack's is a dash.

    Of a stack whose name has no letter and no digit, such as ``_``, a hash stands there.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", stack.lower()).strip("-") or md5(stack)[:8]
    return child_name(_WATCHED + plain, "")


def is_observability(name: str) -> bool:
    """Whether a document of this name can be some stack's."""
    return name.startswith(_WATCHED) and len(name) > len(_WATCHED)


def gateway_metrics(gateway: str) -> str:
    """The Service in front of a gateway's port for metrics."""
    return child_name(gateway, "-litellm-metrics")


def monitor(document: str, what: str) -> str:
    """The PodMonitor of pods of one sort in a namespace, and what else an Observability has there."""
    return child_name(document, f"-{what}")


def metrics_reader(namespace: str, document: str) -> str:
    """The ClusterRole that lets Prometheus read endpoint pickers' metrics, and its binding."""
    return child_name(namespace, f"-{document}-metrics-reader")
