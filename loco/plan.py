"""A StackSpec becomes a Plan: everything that is to exist, in what order, who reads what, and what there is to say.

Pure: the same spec gives the same plan, byte for byte. No engine, no cluster, no secret value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.checks import check_cluster, check_manifests, check_unique
from loco.layers import Resolved, enabled, resolve
from loco.model import Certificate, CredentialUse, Edge, Finding, Manifest, Parts, errors_of
from loco.model.order import ordered
from loco.model.origin import DERIVED
from loco.spec import SERVICE, StackSpec
from loco.spec.tree import at
from loco.workloads import build_workloads
from loco.workloads.build import is_stopped

OUTPUTS_VERSION = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a stack should be.

    Attributes:
        manifests: in an order that respects the edges.
        edges: which object comes before which.
        credential_uses: which pods read which Secret keys.
        certificates: key pairs to be made.
        findings: errors refuse the plan; warnings go along.
        outputs: plain values for other projects; no secret among them.
        resolved: each service's merged spec with the origin of every leaf.
    """

    manifests: tuple[Manifest, ...]
    edges: tuple[Edge, ...]
    credential_uses: tuple[CredentialUse, ...]
    certificates: tuple[Certificate, ...]
    findings: tuple[Finding, ...]
    outputs: Mapping[str, Any]
    resolved: tuple[Resolved, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that refuse it."""
        return errors_of(self.findings)


def plan_stack(stack: StackSpec) -> Plan:
    """Plans a stack. Never raises for bad input: what is wrong is among the findings."""
    parts = Parts(findings=list(stack.findings))
    parts.findings += check_cluster(stack)
    parts.findings += _unsupported_config(stack)
    resolved: list[Resolved] = []
    for document in stack.documents:
        if document.kind != SERVICE or not enabled(document, stack):
            continue
        service, findings = resolve(document, stack)
        parts.findings += findings
        if service is not None:
            resolved.append(service)
    for service in resolved:
        parts.add([build_workloads(service, stack.config.platform)])
    if stack.config.cluster.create_namespaces:
        _add_namespaces(parts)
    parts.findings += check_manifests(parts.manifests)
    parts.findings += check_unique(parts.manifests)
    unique = not errors_of(parts.findings)
    return Plan(
        tuple(ordered(parts.manifests, parts.edges) if unique else parts.manifests),
        tuple(parts.edges),
        tuple(parts.credential_uses),
        tuple(parts.certificates),
        tuple(_once(parts.findings)),
        _outputs(resolved),
        tuple(resolved),
    )


def _add_namespaces(parts: Parts) -> None:
    """A Namespace before everything that stands in it."""
    inhabitants = list(parts.manifests)
    made = []
    for namespace in sorted({manifest.namespace for manifest in inhabitants} - {""}):
        manifest = Manifest({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}, None, DERIVED)
        made.append(manifest)
        for inhabitant in inhabitants:
            if inhabitant.namespace == namespace:
                parts.edges.append(Edge(manifest.id, inhabitant.id, "it stands in this namespace"))
    parts.manifests[:0] = made


def _outputs(resolved: list[Resolved]) -> dict[str, Any]:
    models = {}
    for service in resolved:
        if is_stopped(service):
            continue
        host, _ = names.in_cluster_hosts(names.workload_service(service.name), service.namespace)
        scheme = "https" if service.tls else "http"
        models[names.component_name(service.namespace, service.name)] = {
            "name": service.name,
            "namespace": service.namespace,
            "url": f"{scheme}://{host}:{names.ENGINE_PORT}",
            "servedNames": [service.model_name, names.publisher_name(service.namespace, service.model_name)],
            "presets": [config.name for config in service.applied if config.source == "Preset"],
            "baseRefs": [config.name for config in service.applied if config.source == "UserRef"],
            "workloads": {
                "primary": {"kind": "Deployment", "name": names.workload(service.name)},
                "service": names.workload_service(service.name),
            },
        }
    return {"version": OUTPUTS_VERSION, "models": models}


def _unsupported_config(stack: StackSpec) -> list[Finding]:
    """``LOCO-UNSUPPORTED`` for settings that no room reads yet."""
    findings = []
    for path in (("credentials",), ("platform", "gateway"), ("platform", "registries"), ("platform", "from")):
        if (node := at(stack.config_tree, path)) is not None:
            where = ".".join(path)
            message = f"{where} isn't implemented yet, and would have no effect"
            cure = "the stack config without it"
            findings.append(Finding("LOCO-UNSUPPORTED", "error", where, message, cure, node.origin))
    return findings


def _once(findings: list[Finding]) -> list[Finding]:
    """Findings without repetitions: a base config used by ten services is wrong once."""
    kept: list[Finding] = []
    for finding in findings:
        if finding not in kept:
            kept.append(finding)
    return kept
