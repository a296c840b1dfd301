"""All manifests of one service's workloads: the only door of this room."""

from loco import names
from loco.layers import Resolved
from loco.model import Edge, Finding, Parts
from loco.spec import Platform
from loco.workloads.certificate import certificate_of, needs_certificate
from loco.workloads.consumed import unsupported
from loco.workloads.propagation import not_propagated
from loco.workloads.service import workload_service
from loco.workloads.single_node import deployment

STOP = "serving.kserve.io/stop"


def build_workloads(resolved: Resolved, platform: Platform) -> Parts:
    """Deployment, workload Service and, where it is needed, the certificate's Secret.

    A service with the annotation ``serving.kserve.io/stop: "true"`` has no objects at all, as in KServe.
    """
    parts = Parts(findings=[*unsupported(resolved), *not_propagated(resolved), *_without_model(resolved)])
    if any(finding.severity == "error" for finding in parts.findings) or is_stopped(resolved):
        return parts
    component = names.component_name(resolved.namespace, resolved.name)
    engine, findings = deployment(resolved, platform, component)
    parts.findings += findings
    if needs_certificate(resolved):
        secret, certificate = certificate_of(resolved, component)
        parts.manifests.append(secret)
        parts.certificates.append(certificate)
        parts.edges.append(Edge(secret.id, engine.id, "its pods mount the certificate"))
    parts.manifests += [workload_service(resolved, component), engine]
    return parts


def is_stopped(resolved: Resolved) -> bool:
    """Whether the service is switched off by its annotation."""
    return resolved.annotations.get(STOP, "").lower() == "true"


def _without_model(resolved: Resolved) -> list[Finding]:
    model = resolved.spec.model
    if model is not None and model.uri:
        return []
    message = "the service names no model"
    cure = "model: {uri: hf://organization/model}"
    origin = resolved.origin_at("model")
    return [Finding("LOCO-VALUE", "error", "spec.model.uri", message, cure, origin, resolved.subject)]
