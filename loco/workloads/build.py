"""All manifests of one service's workloads: the only door of this room."""

from collections.abc import Collection, Mapping
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Edge, Finding, Manifest, Parts, errors_of
from loco.model.pod_templates import pod_templates
from loco.pods.certificate import needs_certificate
from loco.pods.rules import refused_labels, refused_metadata
from loco.pods.serving import has_decode_service
from loco.spec import SERVICE, Platform
from loco.spec.tree import Path
from loco.workloads.accelerators import accelerator_findings, engine_pods
from loco.workloads.account import accounts_and_rights
from loco.workloads.autoscaling import autoscaler
from loco.workloads.certificate import certificate_of
from loco.workloads.devices import device_manifests
from loco.workloads.disruption import disruption_budget
from loco.workloads.engine_pod import engine_number
from loco.workloads.kv_handover import one_sided_handover
from loco.workloads.leader_worker_set import leader_worker_set
from loco.workloads.parallelism import without_flag
from loco.workloads.propagation import not_propagated
from loco.workloads.service import decode_service, workload_service
from loco.workloads.side import Side, sides
from loco.workloads.single_node import deployment
from loco.workloads.stopped import is_stopped

_ROLLS = ("LOCO-ROLLOUT-GAP", "LOCO-ROLLOUT-SURGE")


def build_workloads(resolved: Resolved, platform: Platform, selected_labels: Collection[str] = ()) -> Parts:
    """Each side's Deployment or LeaderWorkerSet, what scales and protects it, accounts, Services and the certificate.

    Args:
        resolved: the service.
        platform: what the platform team provides.
        selected_labels: keys of labels by which the stack's gateways select.

    Nothing where there is an error. A service with the annotation ``serving.kserve.io/stop: "true"`` has no objects at
    all, as in KServe.
    """
    component = names.owner(SERVICE, resolved.namespace, resolved.name)
    findings = [*not_propagated(resolved, selected_labels), *refused_metadata(resolved), *_bad_name(resolved)]
    findings += refused_labels(resolved, ("prefill",), {})
    findings += _idle_prefill(resolved)
    if errors_of(findings):
        return Parts(findings=findings)
    parts = Parts(findings=findings)
    engines, scalers = [], []
    for side in sides(resolved):
        build = leader_worker_set if side.multi_node else deployment
        engine, of_engine = build(resolved, side, platform, component)
        parts.findings += [*of_engine, *without_flag(_containers(engine, side), side, resolved)]
        scaler, of_scaler = autoscaler(resolved, side, engine.id, platform, component)
        parts.findings += of_scaler
        engines.append(engine)
        scalers += [(engine, scaler)] if scaler is not None else []
    pods = engine_pods(zip(engines, sides(resolved), strict=True), resolved)
    missing = accelerator_findings(pods, resolved)
    if errors_of(missing):  # what a roll needs is known once every pod asks for its GPUs
        parts.findings = [finding for finding in parts.findings if finding.code not in _ROLLS]
    parts.findings += [*missing, *one_sided_handover(pods, resolved)]
    if errors_of(parts.findings) or is_stopped(resolved):
        return parts
    if needs_certificate(resolved):
        secret, certificate = certificate_of(resolved, component)
        parts.manifests.append(secret)
        parts.certificates.append(certificate)
        parts.edges += [Edge(secret.id, engine.id, "its pods mount the certificate") for engine in engines]
    rights = accounts_and_rights(resolved, component)
    devices = device_manifests(resolved, component)
    for engine in engines:
        parts.edges += [Edge(right.id, engine.id, "its pods act with these rights") for right in rights]
        parts.edges += [Edge(template.id, engine.id, "its pods claim devices by it") for template in devices]
    services = [workload_service(resolved, component)]
    if has_decode_service(resolved):
        services.append(decode_service(resolved, component))
    parts.edges += [Edge(engine.id, scaler.id, "it scales these pods") for engine, scaler in scalers]
    budgets = filter(None, (disruption_budget(resolved, engine) for engine in engines))
    parts.manifests += [*rights, *devices, *services, *engines, *budgets, *(scaler for _, scaler in scalers)]
    return parts


def pod_places(resolved: Resolved) -> dict[tuple[str, str], tuple[Path, ...]]:
    """For each workload, by kind and name, where its pods stand in the spec, in the order of its templates."""
    return {side.object_of(resolved.name): side.pods for side in sides(resolved)}


def _containers(workload: Manifest, side: Side) -> list[tuple[Path, Mapping[str, Any]]]:
    """The engines of a workload, with their places in the spec."""
    found: list[tuple[Path, Mapping[str, Any]]] = []
    for place, (_, template) in zip(side.pods, pod_templates(workload.data), strict=True):
        number = engine_number(template["spec"])
        if number is not None:
            found.append(((*place, "containers", number), template["spec"]["containers"][number]))
    return found


def _idle_prefill(resolved: Resolved) -> list[Finding]:
    """A warning where prefill pods would wait for prompts that nobody sends them."""
    router = resolved.spec.router
    if resolved.spec.prefill is None or (router is not None and router.scheduler is not None):
        return []
    message = "without an endpoint picker nobody chooses a prefill pod, so decode pods do all the work themselves"
    cure = "router: {scheduler: {}} beside it, or the service without prefill"
    origin = resolved.origin_at("prefill")
    return [Finding("LOCO-NO-EFFECT", "warning", "spec.prefill", message, cure, origin, resolved.subject)]


def _bad_name(resolved: Resolved) -> list[Finding]:
    name = resolved.model_name
    if not name.startswith("-") and name.isprintable() and name == name.strip():
        return []
    # vLLM takes a leading dash for a flag; a request's header or path can't hold the others.
    message = "a served name begins with no dash, and holds no line break or space at its ends"
    origin = resolved.origin_at("model", "name")
    cure = "a name such as organization/model"
    return [Finding("LOCO-VALUE", "error", "spec.model.name", message, cure, origin, resolved.subject, name)]
