"""All manifests of the stack's LiteLLMGateways: the only door of this room."""

import hashlib
from collections.abc import Sequence

from loco import names
from loco.gateway.authorities import authorities_of, directly_served, trust
from loco.gateway.config import config_digest, config_text, public_names
from loco.gateway.credentials import Credentials, opaque_secret, uses_of
from loco.gateway.documents import External, Gateway
from loco.gateway.pod import CONFIG_FILE, PORT, pod_template
from loco.gateway.served import bad_names, nothing_selected, service_url, unknown_fallbacks, unserved
from loco.gateway.upstream import doubtful
from loco.gateway.variables import duplicate_variables, variables
from loco.model import Edge, Manifest, ManifestId, Parts, SecretValue, ServedModel, Wait
from loco.spec import GATEWAY

_START_SECONDS = 600  # its start-up probe's budget of five minutes, and pulling the image


def build_gateways(
    gateways: Sequence[Gateway],
    served: Sequence[ServedModel],
    external: Sequence[External],
    declared: Credentials,
    complete: bool = True,
) -> Parts:
    """Secrets, ConfigMap, Service and Deployment of every gateway.

    Args:
        gateways: the documents.
        served: the stack's own models; each gateway serves those that its selector takes.
        external: the external models, likewise.
        declared: the stack's ``credentials``.
        complete: whether every document could be read; if not, a model that isn't there may be among the others.
    """
    built = [_build(gateway, served, external, declared, complete) for gateway in gateways]
    parts = Parts(findings=unserved(gateways, external) if complete else [])
    parts.add(built)
    return parts


def _build(
    gateway: Gateway,
    served: Sequence[ServedModel],
    external: Sequence[External],
    declared: Credentials,
    complete: bool,
) -> Parts:
    parts = Parts()
    models = [model for model in served if gateway.takes(model.labels)]
    others = [model for model in external if gateway.takes(model.labels)]
    reached = [(model, service_url(model, gateway, parts.findings)) for model in models]
    managed = [(model, url) for model, url in reached if url is not None]
    read = [variable for model in others for variable in variables(model, gateway.namespace)]
    parts.findings += duplicate_variables(read)
    for other in others:
        parts.findings += doubtful(other, pinned_image=gateway.spec.image is None)
    parts.findings += bad_names(gateway, models)
    if complete:
        parts.findings += unknown_fallbacks(gateway, public_names(models, others))
        parts.findings += [] if models or others else [nothing_selected(gateway)]

    component = names.owner(GATEWAY, gateway.namespace, gateway.name)
    deployment_id = ManifestId("apps/v1", "Deployment", gateway.namespace, names.gateway(gateway.name))
    parts.credential_uses, findings = uses_of(gateway, read, declared, deployment_id)
    parts.findings += findings
    if gateway.spec.master_key.secret_ref is None:
        made = opaque_secret(gateway.master_key.name, gateway.namespace, component, gateway.origin)
        parts.manifests.append(made)
        parts.secret_values.append(SecretValue(made.id, gateway.master_key.key, None, "master-key"))

    text = config_text(gateway.spec, gateway.namespace, managed, others)
    config_map = _config_map(gateway, component, text)
    template = pod_template(
        _labels(gateway), config_map.name, config_digest(text), gateway.master_key, read, gateway.spec.image
    )
    parts.manifests.append(config_map)
    if direct := directly_served(managed):
        authorities, parts.authorities = authorities_of(gateway, component, direct, deployment_id)
        trust(template, authorities.name)
        parts.manifests.append(authorities)
    parts.edges += [Edge(before.id, deployment_id, "its pods read it") for before in parts.manifests]
    parts.manifests += [_service(gateway, component), _deployment(gateway, component, template)]
    return parts


def _labels(gateway: Gateway) -> dict[str, str]:
    return names.gateway_labels(gateway.name)


def _config_map(gateway: Gateway, component: str, text: str) -> Manifest:
    data = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": names.gateway_config(gateway.name),
            "namespace": gateway.namespace,
            "labels": _labels(gateway),
            "annotations": {"hash": hashlib.sha256(text.encode()).hexdigest()},
        },
        "data": {CONFIG_FILE: text},
    }
    return Manifest(data, component, gateway.origin)


def _service(gateway: Gateway, component: str) -> Manifest:
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": names.gateway(gateway.name), "namespace": gateway.namespace, "labels": _labels(gateway)},
        "spec": {
            "type": "ClusterIP",
            "selector": _labels(gateway),
            "ports": [{"name": "http", "port": PORT, "targetPort": "http", "protocol": "TCP", "appProtocol": "http"}],
        },
    }
    return Manifest(data, component, gateway.origin, wait=Wait(skip=True))


def _deployment(gateway: Gateway, component: str, template: dict[str, object]) -> Manifest:
    spec: dict[str, object] = {
        "selector": {"matchLabels": _labels(gateway)},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "progressDeadlineSeconds": _START_SECONDS,
        "template": template,
    }
    if gateway.spec.replicas is not None:
        spec["replicas"] = gateway.spec.replicas
    data = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": names.gateway(gateway.name), "namespace": gateway.namespace, "labels": _labels(gateway)},
        "spec": spec,
    }
    return Manifest(
        data,
        component,
        gateway.origin,
        wait=Wait(timeout_seconds=_START_SECONDS),
        ignore_changes=() if gateway.spec.replicas is not None else ("spec.replicas",),
        replace_on=("spec.selector",),
    )
