"""A whole stack, planned: services, gateways, what watches them, and the checks across all of it."""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.checks import (
    CONSUMED_OF,
    check_base_configs,
    check_cluster,
    check_credentials,
    check_gateway_pods,
    check_manifests,
    check_metadata,
    check_other_models,
    check_rotation,
    check_selectors,
    check_shadowing,
    check_shared_claims,
    check_unique,
    unsupported,
    without_follow_ons,
)
from loco.gateway import (
    External,
    Gateway,
    build_gateways,
    credential_secrets,
    expose_gateways,
    watch,
)
from loco.layers import Layered, Resolved, check_expressions, check_presets
from loco.model import (
    Edge,
    Finding,
    Manifest,
    Parts,
    ScrapeTarget,
    errors_of,
)
from loco.model.order import ordered
from loco.model.origin import DERIVED
from loco.model.pod_templates import pod_templates
from loco.outputs import outputs_of
from loco.plan.documents import layered_documents, resolved_services, watching_documents
from loco.plan.plan import Plan
from loco.plan.service import service_parts
from loco.pods.registries import add_pull_secrets, use_mirrors
from loco.routing import managed_gateways, picker_targets, reference_grants, served_model
from loco.spec import EXTERNAL_MODEL, GATEWAY, SERVICE, StackSpec
from loco.spec.external_model import ExternalModelSpec
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from loco.spec.tree import at
from loco.spec.validate import origin_of
from loco.workloads import (
    companions,
    engine_targets,
    is_stopped,
)


def plan_stack(stack: StackSpec) -> Plan:
    """Plans a stack. Never raises for bad input: what is wrong is among the findings.

    Args:
        stack: from ``read_stack`` or ``stack_from_config``; equal ones give equal plans.
    """
    platform = stack.config.platform
    parts = Parts(findings=list(stack.findings))
    parts.findings += check_cluster(stack)
    parts.findings += check_presets(stack)
    parts.findings += check_expressions(stack)
    parts.findings += check_base_configs(stack)
    parts.findings += _awaited_values(stack)
    resolved = resolved_services(stack, parts)
    running = [service for service in resolved if not is_stopped(service)]
    external = layered_documents(stack, EXTERNAL_MODEL, ExternalModelSpec, parts)
    fronts = layered_documents(stack, GATEWAY, LiteLLMGatewaySpec, parts)
    sound = stack.complete and not errors_of(parts.findings)
    complete = sound and not stack.other_models.awaited
    gateways = [Gateway(front.namespace, front.name, front.spec, front.tree, front.origin) for front in fronts]
    selected = _selected_labels([*resolved, *external], fronts, sound)
    parts.findings += check_other_models(stack, resolved, gateways, sound)
    for service in resolved:
        refused = unsupported(service)
        parts.findings += refused
        if not refused:
            parts.add([service_parts(service, stack, selected, running, gateways)])
    observers, observability = watching_documents(stack, parts)
    documents: list[Layered[Any]] = [*external, *fronts, *observers]
    for document in documents:
        parts.findings += unsupported(document, CONSUMED_OF[document.kind])
        parts.findings += check_metadata(document, selected if document.kind == EXTERNAL_MODEL else ())
    served = [*(served_model(service, platform) for service in running), *stack.other_models.models]
    models = [External(m.namespace, m.name, m.spec, m.labels, m.tree, m.origin) for m in external]
    parts.add(
        [
            build_gateways(
                gateways,
                served,
                models,
                stack.config.credentials,
                complete,
                stack.config.rotation,
                [*platform.proxies, *platform.scrapers],
                platform,
                observability,
                stack.name,
            )
        ]
    )
    parts.add([expose_gateways(gateways, platform)])
    parts.add([credential_secrets(parts.credential_uses, stack.config.credentials)])
    parts.add([companions(stack.documents, parts.manifests)])
    if observability is not None:
        targets = _scrape_targets(running, parts)
        whole = _is_whole(stack, parts)
        parts.add([watch(observability, gateways, targets, tuple(parts.manifests), platform.scrapers, whole)])
    _add_gateway_objects(stack, parts)
    for manifest in parts.manifests:
        for _, template in pod_templates(manifest.data):
            use_mirrors(template["spec"], platform.registries or {})
            add_pull_secrets(template["spec"], platform.image_pull_secrets or ())
    if stack.config.cluster.create_namespaces:
        _add_namespaces(parts)
    parts.findings += check_gateway_pods(gateways)
    parts.findings += check_manifests(parts.manifests)
    parts.findings += check_unique(parts.manifests)
    parts.findings += check_selectors(parts.manifests)
    parts.findings += check_shadowing(running, parts.manifests)
    parts.findings += check_shared_claims(parts.manifests)
    whole = _is_whole(stack, parts)
    parts.findings += check_credentials(stack, parts.credential_uses, whole)
    if whole:
        parts.findings += check_rotation(stack, parts.certificates, parts.secret_values)
    parts.findings = without_follow_ons(parts.findings, stack.findings, parts.manifests, sound)
    refused_plan = bool(errors_of(parts.findings))
    return Plan(
        tuple(parts.manifests if refused_plan else ordered(parts.manifests, parts.edges)),
        tuple(parts.edges),
        tuple(parts.credential_uses),
        tuple(parts.secret_values),
        tuple(parts.certificates),
        tuple(parts.authorities),
        tuple(_once(parts.findings)),
        outputs_of(running, gateways, platform),
        tuple(resolved),
        tuple(gateways),
        observability,
    )


def _scrape_targets(running: Sequence[Resolved], parts: Parts) -> list[ScrapeTarget]:
    """The pods of services that have metrics."""
    made: dict[str | None, list[Manifest]] = {}
    for manifest in parts.manifests:
        made.setdefault(manifest.component, []).append(manifest)
    targets = []
    for service in running:
        own = made.get(names.owner(SERVICE, service.namespace, service.name), [])
        targets += [*engine_targets(service, own), *picker_targets(service, own)]
    return targets


def _is_whole(stack: StackSpec, parts: Parts) -> bool:
    """Whether nothing was refused so far. If something was, it may be what would have read or used the rest."""
    return stack.complete and not errors_of(parts.findings)


def _selected_labels(
    models: Sequence[Resolved | Layered[Any]], fronts: Sequence[Layered[LiteLLMGatewaySpec]], sound: bool
) -> set[str]:
    """Keys of labels by which gateways select.

    By any, where the stack has none, since those of other stacks may, and where one of them may be what could not be read.
    """
    if not fronts or not sound:
        return {key for model in models for key in model.labels if not key.startswith("serving.kserve.io/")}
    return {key for front in fronts for key in front.spec.models.match_labels}


def _add_gateway_objects(stack: StackSpec, parts: Parts) -> None:
    """Gateways that the stack makes, and the grants that its routes and Gateways need."""
    platform = stack.config.platform
    origin = origin_of(at(stack.config_tree, ("platform",)), stack.config_tree.origin)
    routes = [manifest for manifest in parts.manifests if manifest.id.kind == "HTTPRoute"]
    made = managed_gateways(platform, routes, origin)
    namespaces = {manifest.namespace for manifest in (*parts.manifests, *made.manifests)}
    parts.add([made, reference_grants([*routes, *made.manifests], platform, namespaces)])


def _add_namespaces(parts: Parts) -> None:
    """A Namespace before everything that stands in it."""
    inhabitants = list(parts.manifests)
    made = []
    for namespace in sorted({manifest.namespace for manifest in inhabitants}):
        if namespace in ("", "default") or namespace.startswith("kube-"):
            continue  # Kubernetes' own: there before any stack, and must be there after it
        manifest = Manifest({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}, None, DERIVED)
        made.append(manifest)
        for inhabitant in inhabitants:
            if inhabitant.namespace == namespace:
                parts.edges.append(Edge(manifest.id, inhabitant.id, "it stands in this namespace"))
    parts.manifests[:0] = made


def _awaited_values(stack: StackSpec) -> list[Finding]:
    """``LOCO-CONFIG`` where a plan outside the engine lacks another stack's values."""
    findings = []
    if (source := at(stack.config_tree, ("platform", "from"))) is not None:
        message = "the values of the other stack are known to the engine only, and are left out here"
        cure = "pulumi preview, which awaits them"
        findings.append(Finding("LOCO-CONFIG", "warning", "platform.from", message, cure, source.origin))
    if awaited := stack.other_models.awaited:
        message = "the models of these other stacks are known to the engine only, and are left out here"
        cure = "pulumi preview, which awaits them"
        origin = origin_of(at(stack.config_tree, ("modelsFrom",)), stack.config_tree.origin)
        findings.append(Finding("LOCO-CONFIG", "warning", "modelsFrom", message, cure, origin, value=list(awaited)))
    return findings


def _once(findings: list[Finding]) -> list[Finding]:
    """Findings without repetitions: a base config used by ten services is wrong once."""
    return list({repr(finding): finding for finding in findings}.values())
