"""All manifests of one service's workloads: the only door of this room."""

from collections.abc import Collection

from loco import names
from loco.layers import Resolved
from loco.model import Edge, Finding, Parts, errors_of
from loco.pods.certificate import needs_certificate
from loco.pods.rules import refused_metadata
from loco.spec import SERVICE, Platform
from loco.workloads.certificate import certificate_of
from loco.workloads.propagation import not_propagated
from loco.workloads.service import workload_service
from loco.workloads.single_node import deployment

STOP = "serving.kserve.io/stop"


def build_workloads(resolved: Resolved, platform: Platform, selected_labels: Collection[str] = ()) -> Parts:
    """Deployment, workload Service and, where it is needed, the certificate's Secret; nothing where there is an error.

    Args:
        resolved: the service.
        platform: what the platform team provides.
        selected_labels: keys of labels by which the stack's gateways select.

    A service with the annotation ``serving.kserve.io/stop: "true"`` has no objects at all, as in KServe.
    """
    component = names.owner(SERVICE, resolved.namespace, resolved.name)
    findings = [*not_propagated(resolved, selected_labels), *refused_metadata(resolved), *_bad_model(resolved)]
    if errors_of(findings):
        return Parts(findings=findings)
    engine, of_engine = deployment(resolved, platform, component)
    parts = Parts(findings=findings + of_engine)
    if errors_of(of_engine) or is_stopped(resolved):
        return parts
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


def _bad_model(resolved: Resolved) -> list[Finding]:
    model = resolved.spec.model
    findings = []
    if model is None or not model.uri:
        message = "the service names no model"
        cure = "model: {uri: hf://organization/model}"
        origin = resolved.origin_at("model")
        findings.append(Finding("LOCO-VALUE", "error", "spec.model.uri", message, cure, origin, resolved.subject))
    name = resolved.model_name
    if name.startswith("-") or not name.isprintable() or name != name.strip():
        # vLLM takes a leading dash for a flag; a request's header or path can't hold the others.
        message = "a served name begins with no dash, and holds no line break or space at its ends"
        origin = resolved.origin_at("model", "name")
        cure = "a name such as organization/model"
        findings.append(
            Finding("LOCO-VALUE", "error", "spec.model.name", message, cure, origin, resolved.subject, name)
        )
    return findings
