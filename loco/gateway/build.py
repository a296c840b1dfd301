"""All manifests of one LiteLLMGateway: the only door of this room."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from loco import names
from loco.gateway.config import config_digest, config_text, public_names
from loco.gateway.credentials import Credentials, duplicate_variables, opaque_secret, secrets_for
from loco.gateway.external import External, variables
from loco.gateway.pod import CONFIG_FILE, PORT, pod_template
from loco.model import CredentialUse, Edge, Finding, Manifest, ManifestId, Origin, Parts, SecretValue, ServedModel, Wait
from loco.spec import GATEWAY
from loco.spec.external_model import SecretKey
from loco.spec.litellm_gateway import LiteLLMGatewaySpec

MASTER_KEY_KEY = "master-key"
_START_SECONDS = 600  # its start-up probe's budget of five minutes, and pulling the image


@dataclass(frozen=True, slots=True)
class Gateway:
    """One LiteLLMGateway of the stack."""

    namespace: str
    name: str
    spec: LiteLLMGatewaySpec
    origin: Origin

    @property
    def subject(self) -> str:
        return f"LiteLLMGateway/{self.namespace}/{self.name}"

    @property
    def master_key(self) -> SecretKey:
        """Where the admin key is, be it made here or somebody else's."""
        if self.spec.master_key.secret_ref is not None:
            return self.spec.master_key.secret_ref
        return SecretKey(name=names.gateway_secret(self.name), key=MASTER_KEY_KEY)


def build_gateway(
    gateway: Gateway, served: Sequence[ServedModel], external: Sequence[External], declared: Credentials
) -> Parts:
    """Secret, ConfigMap, Service and Deployment, and the Secrets of the external models that it reads.

    Args:
        gateway: the document.
        served: the stack's own models; those that its selector takes are served.
        external: the external models, likewise.
        declared: the stack's ``credentials``.
    """
    parts = Parts()
    wanted = gateway.spec.models.match_labels.items()
    models = [model for model in served if wanted <= model.labels.items()]
    others = [model for model in external if wanted <= model.labels.items()]
    reached = [(model, _url(model, gateway, parts.findings)) for model in models]
    managed = [(model, url) for model, url in reached if url is not None]
    read = [variable for model in others for variable in variables(model, gateway.namespace)]
    parts.findings += duplicate_variables(read)
    parts.findings += _unknown_fallbacks(gateway, public_names(models, others))

    component = names.owner(GATEWAY, gateway.namespace, gateway.name)
    deployment_id = ManifestId("apps/v1", "Deployment", gateway.namespace, names.gateway(gateway.name))
    secrets, values, uses, findings = secrets_for(gateway.namespace, component, read, declared, deployment_id)
    parts.findings += findings
    if gateway.spec.master_key.secret_ref is None:
        made = opaque_secret(gateway.master_key.name, gateway.namespace, component, gateway.origin)
        secrets.insert(0, made)
        values.insert(0, SecretValue(made.id, gateway.master_key.key, None))
    parts.secret_values += values
    parts.credential_uses += [_master_key_use(gateway, deployment_id), *uses]

    text = config_text(gateway.spec, gateway.namespace, managed, others)
    config_map = _config_map(gateway, component, text)
    template = pod_template(
        _labels(gateway), config_map.name, config_digest(text), gateway.master_key, read, gateway.spec.image
    )
    deployment = _deployment(gateway, component, template)
    parts.manifests += [*secrets, config_map, _service(gateway, component), deployment]
    for before in (*secrets, config_map):
        parts.edges.append(Edge(before.id, deployment.id, "its pods read it"))
    return parts


def _url(model: ServedModel, gateway: Gateway, findings: list[Finding]) -> str | None:
    """Through the platform's gateway where only that reaches the endpoint picker, else straight to the Service."""
    via = gateway.spec.via or ("gateway" if model.routed and model.scheduled else "service")
    if via == "service":
        return model.service_url
    if model.routed_url is None:
        why = "platform.gateway has no internalURL" if model.routed else "the model has no route"
        message = f"the gateway {gateway.name} can't reach {model.namespace}/{model.name} through the platform's gateway: {why}"
        cure = (
            "platform: {gateway: {internalURL: http://HOST}} in the stack config, or via: service in the gateway's spec"
        )
        findings.append(Finding("LOCO-VALUE", "error", "spec.via", message, cure, gateway.origin, gateway.subject))
    return model.routed_url


def _unknown_fallbacks(gateway: Gateway, known: set[str]) -> list[Finding]:
    findings = []
    for index, fallback in enumerate(gateway.spec.fallbacks or []):
        for name in dict.fromkeys([*fallback, *(target for targets in fallback.values() for target in targets)]):
            if name not in known:
                message = f"the fallback names {name}, which the gateway doesn't serve"
                cure = f"one of {', '.join(sorted(known)) or 'its models, of which there are none'}"
                path = f"spec.fallbacks[{index}]"
                findings.append(
                    Finding("LOCO-REFERENCE", "error", path, message, cure, gateway.origin, gateway.subject, name)
                )
    return findings


def _master_key_use(gateway: Gateway, reader: ManifestId) -> CredentialUse:
    key = gateway.master_key
    made_here = gateway.spec.master_key.secret_ref is None
    return CredentialUse(reader, "master-key", gateway.namespace, key.name, key.key, made_here, required=True)


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
