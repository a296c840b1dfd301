"""The Services in front of a service's engine pods."""

from collections.abc import Mapping

from loco import names
from loco.layers import Resolved
from loco.model import Manifest, Wait
from loco.workloads.propagation import service_labels, spec_annotations


def workload_service(resolved: Resolved, component: str) -> Manifest:
    """In front of every pod that takes requests, of either role."""
    name = names.workload_service(resolved.name)
    return _service(name, names.workload_selector(resolved.name), resolved, component)


def decode_service(resolved: Resolved, component: str) -> Manifest:
    """In front of the decode pods alone, for clients that no endpoint picker stands before."""
    return _service(names.decode_service(resolved.name), names.decode_selector(resolved.name), resolved, component)


def _service(name: str, selector: Mapping[str, str], resolved: Resolved, component: str) -> Manifest:
    """ClusterIP on port 8000, named after the scheme that its clients speak.

    The engine doesn't wait for it: a Service has endpoints only once an engine is ready, which the Deployment's own
    wait already covers.
    """
    scheme = "https" if resolved.tls else "http"
    metadata: dict[str, object] = {
        "name": name,
        "namespace": resolved.namespace,
        "labels": service_labels(resolved),
    }
    if annotations := spec_annotations(resolved):
        metadata["annotations"] = annotations
    port = names.ENGINE_PORT
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {
            "type": "ClusterIP",
            "selector": dict(selector),
            "ports": [{"name": scheme, "port": port, "targetPort": port, "protocol": "TCP", "appProtocol": scheme}],
        },
    }
    return Manifest(data, component, resolved.origin, wait=Wait(skip=True))
