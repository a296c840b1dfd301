"""All that one service becomes: its workloads, its routes, what their pods read, and who may call them."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from loco import names
from loco.gateway import Gateway
from loco.layers import Resolved
from loco.model import Parts
from loco.pods.certificate import restart_with_rotation
from loco.pods.environment import environment_uses
from loco.pods.reading import PICKER_TEMPLATE
from loco.pods.serving import serving_service
from loco.routing import build_routing
from loco.routing.tokenizer import TOKENIZER_TEMPLATE
from loco.spec import StackSpec
from loco.spec.peer import Peer
from loco.spec.tree import Path
from loco.workloads import build_workloads, is_stopped, network_policies, pod_places


def service_parts(
    service: Resolved,
    stack: StackSpec,
    selected_labels: Collection[str],
    running: Sequence[Resolved],
    gateways: Sequence[Gateway],
) -> Parts:
    """A service's workloads and routes, and what their pods read; a stopped one has neither."""
    rotation = stack.config.rotation.certificates
    parts = build_workloads(service, stack.config.platform, selected_labels)
    parts.certificates = [replace(certificate, rotation=rotation) for certificate in parts.certificates]
    if is_stopped(service):
        return parts
    ids = {(manifest.id.kind, manifest.name): manifest.id for manifest in parts.manifests}
    backend = ids.get(("Service", serving_service(service)))
    certificate = ids.get(("Secret", names.certificate_secret(service.name)))
    parts.add([build_routing(service, backend, certificate, stack.config.platform, running)])
    places = template_places(service)
    for manifest in parts.manifests:
        where = places.get((manifest.id.kind, manifest.name), ())
        uses, findings = environment_uses(manifest, service, where, stack.config.credentials)
        parts.credential_uses += uses
        parts.findings += findings
    for manifest in parts.manifests:
        restart_with_rotation(manifest, service, rotation)
    parts.add([network_policies(service, parts.manifests, stack.config.platform, _callers(service, gateways))])
    return parts


def template_places(service: Resolved) -> dict[tuple[str, str], tuple[Path, ...]]:
    """Where in the spec each pod template of a service is written, by the kind and name of the object that has it."""
    return {
        **pod_places(service),
        ("Deployment", names.picker(service.name)): (PICKER_TEMPLATE,),
        ("Deployment", names.tokenizer(service.name)): (TOKENIZER_TEMPLATE,),
    }


def _callers(service: Resolved, gateways: Sequence[Gateway]) -> list[Peer]:
    """The pods of the LiteLLM gateways that serve a service."""
    return [
        Peer.model_validate({"namespace": gateway.namespace, "podLabels": names.gateway_labels(gateway.name)})
        for gateway in gateways
        if gateway.takes(service.labels)
    ]
