"""The Service in front of a service's engine pods."""

from loco import names
from loco.layers import Resolved
from loco.model import Manifest, Wait
from loco.workloads.propagation import service_labels, spec_annotations


def workload_service(resolved: Resolved, component: str) -> Manifest:
    """ClusterIP on port 8000, named after the scheme that its clients speak.

    The engine doesn't wait for it: a Service has endpoints only once an engine is ready, which the Deployment's own
    wait already covers.
    """
    scheme = "https" if resolved.tls else "http"
    metadata: dict[str, object] = {
        "name": names.workload_service(resolved.name),
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
            "selector": names.workload_selector(resolved.name),
            "ports": [{"name": scheme, "port": port, "targetPort": port, "protocol": "TCP", "appProtocol": scheme}],
        },
    }
    return Manifest(data, component, resolved.origin, wait=Wait(skip=True))
