"""The InferencePool: which pods a request may go to, and which picker chooses among them."""

import re
from collections.abc import Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding, Manifest
from loco.pods.pool import pool_api
from loco.routing.older_pool import as_older
from loco.spec.tree import Row, at, plain

_PICKER_PORT = 9002
_SPEC = ("router", "scheduler", "pool", "spec")
_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def inference_pool(
    resolved: Resolved, component: str, picker_service: Mapping[str, Any]
) -> tuple[Manifest, list[Finding]]:
    """In the version that the platform's Gateway knows, ``inference.networking.k8s.io/v1`` where nobody says.

    ``picker_service`` is the Service that it refers to; the findings say where the two don't agree.
    """
    tree = at(resolved.tree, _SPEC)
    spec: dict[str, Any] = plain(tree) if tree is not None else {}
    picker = spec.setdefault("endpointPickerRef", {})
    picker.setdefault("name", picker_service["metadata"]["name"])
    if picker.get("kind", "Service") == "Service" and not (picker.get("port") or {}).get("number"):
        picker["port"] = {"number": _PICKER_PORT}
    findings = _disagreements(picker, picker_service, resolved)
    if resolved.pool_api == "v1alpha2":
        spec, of_version = as_older(spec, resolved)
        findings += of_version
    data = {
        "apiVersion": pool_api(resolved),
        "kind": "InferencePool",
        "metadata": {
            "name": names.inference_pool(resolved.name),
            "namespace": resolved.namespace,
            "labels": names.picker_labels(resolved.name),
        },
        "spec": spec,
    }
    return Manifest(data, component, resolved.origin), findings


def _disagreements(picker: Mapping[str, Any], picker_service: Mapping[str, Any], resolved: Resolved) -> list[Finding]:
    findings = []

    def refuse(key: str, message: str, cure: str, value: object) -> None:
        origin = resolved.origin_at(*_SPEC, "endpointPickerRef", key)
        path = f"spec.router.scheduler.pool.spec.endpointPickerRef.{key}"
        findings.append(Finding("LOCO-VALUE", "error", path, message, cure, origin, resolved.subject, value))

    if picker.get("kind", "Service") != "Service":
        refuse("kind", "the endpoint picker is reached by a Service", "kind: Service", picker["kind"])
        return findings
    if not _SERVICE_NAME.fullmatch(picker["name"]):
        cure = "at most 63 small letters, digits and dashes, a letter first and no dash last"
        refuse("name", "no Service can be called this", cure, picker["name"])
    known = {port["port"] for port in picker_service["spec"]["ports"]}
    number = picker["port"]["number"]
    containers = at(resolved.tree, ("router", "scheduler", "template", "containers"))
    if number not in known and (known or (isinstance(containers, Row) and containers.items)):
        # Without any containers there is no picker, which is said elsewhere.
        message = f"the endpoint picker's Service has no port {number}"
        listed = f"port: {{number: {' or '.join(map(str, sorted(known)))}}}"
        cure = f"ports: [{{name: grpc, containerPort: {number}}}] in the picker's container main"
        refuse("port", message, listed if known else cure, number)
    return findings
