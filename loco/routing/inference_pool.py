"""The InferencePool: which pods a request may go to, and which picker chooses among them."""

from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Manifest
from loco.spec.tree import at, plain

PICKER_PORT = 9002


def inference_pool(resolved: Resolved, component: str) -> Manifest:
    """``inference.networking.k8s.io/v1``, the API that gateways accept today."""
    tree = at(resolved.tree, ("router", "scheduler", "pool", "spec"))
    spec: dict[str, Any] = plain(tree) if tree is not None else {}
    picker = spec.setdefault("endpointPickerRef", {})
    if picker.get("kind", "Service") == "Service" and not (picker.get("port") or {}).get("number"):
        picker["port"] = {"number": PICKER_PORT}
    data = {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "metadata": {
            "name": names.inference_pool(resolved.name),
            "namespace": resolved.namespace,
            "labels": names.picker_labels(resolved.name),
        },
        "spec": spec,
    }
    return Manifest(data, component, resolved.origin)


def picker_service_name(resolved: Resolved) -> str:
    """The Service that the pool refers to: the name is taken from the reference, so the two always agree."""
    name = at(resolved.tree, ("router", "scheduler", "pool", "spec", "endpointPickerRef", "name"))
    value = plain(name) if name is not None else None
    return value if isinstance(value, str) and value else names.picker_service(resolved.name)
