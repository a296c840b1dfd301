"""All manifests of the stack's LiteLLMGateways: the only door of this room."""

from collections.abc import Sequence

from loco import names
from loco.gateway.authorities import authorities_of, directly_served, trust
from loco.gateway.config import config_digest, config_text
from loco.gateway.credentials import Credentials, is_generated, opaque_secret, own_keys, uses_of
from loco.gateway.documents import External, Gateway
from loco.gateway.entries import Entry, entries_of
from loco.gateway.groups import by_route, uneven_weights
from loco.gateway.manifests import config_map, deployment, protection, service
from loco.gateway.own_config import idle_salt_key, own_config
from loco.gateway.pod import pod_template, set_variables
from loco.gateway.reference_digest import reference_digest
from loco.gateway.references import unknown_models, unknown_services
from loco.gateway.served import bad_names, nothing_selected, service_url, too_large, unpinned_image, unserved
from loco.gateway.upstream import doubtful
from loco.gateway.variables import Variable, duplicate_variables, own_variables, taken_variables, variables
from loco.model import Edge, Finding, ManifestId, Parts, SecretValue, ServedModel
from loco.spec import GATEWAY
from loco.spec.peer import Peer
from loco.spec.stack import Rotation


def build_gateways(
    gateways: Sequence[Gateway],
    served: Sequence[ServedModel],
    external: Sequence[External],
    declared: Credentials,
    complete: bool = True,
    rotation: Rotation = Rotation(),  # noqa: B008 - frozen
    callers: Sequence[Peer] = (),
) -> Parts:
    """Secrets, ConfigMap, Service and Deployment of every gateway, and what protects it.

    Args:
        gateways: the documents.
        served: the stack's own models; each gateway serves those that its selector takes.
        external: the external models, likewise.
        declared: the stack's ``credentials``.
        complete: whether every document could be read; if not, a model that isn't there may be among the others.
        rotation: when keys that the stack makes are made anew.
        callers: who may call gateways that name their clients, without being named there.
    """
    built = [_build(gateway, served, external, declared, complete, rotation, callers) for gateway in gateways]
    parts = Parts(findings=unserved(gateways, external) if complete else [])
    parts.add(built)
    return parts


def _build(
    gateway: Gateway,
    served: Sequence[ServedModel],
    external: Sequence[External],
    declared: Credentials,
    complete: bool,
    rotation: Rotation,
    callers: Sequence[Peer],
) -> Parts:
    parts = Parts()
    models = [model for model in served if gateway.takes(model.labels)]
    others = [model for model in external if gateway.takes(model.labels)]
    reached = [(model, service_url(model, gateway, parts.findings)) for model in models]
    managed = [(model, url) for model, url in reached if url is not None]
    read = [variable for model in others for variable in variables(model, gateway.namespace)]
    # One that can't be reached is an error of its own, and still a model that fallbacks may name.
    entries = by_route(entries_of(gateway, [(model, url or "") for model, url in reached], others))
    parts.findings += _judged(gateway, models, others, entries, read, complete)

    component = names.owner(GATEWAY, gateway.namespace, gateway.name)
    deployment_id = ManifestId("apps/v1", "Deployment", gateway.namespace, names.gateway(gateway.name))
    every = [*read, *own_variables(gateway)]
    parts.credential_uses, findings = uses_of(gateway, every, declared, deployment_id)
    parts.findings += findings
    for which, source in own_keys(gateway):
        if is_generated(gateway, which):
            made = opaque_secret(source.name, gateway.namespace, component, gateway.origin)
            parts.manifests.append(made)
            rotated = rotation.master_keys if which == "master-key" else rotation.salt_keys
            parts.secret_values.append(SecretValue(made.id, source.key, None, which, rotated))

    text = config_text(gateway.spec, entries)
    parts.findings += too_large(gateway, text, len(entries))
    config = config_map(gateway, component, text)
    template = pod_template(gateway, config.name, config_digest(text), read)
    parts.manifests.append(config)
    if direct := directly_served(managed):
        authorities, parts.authorities = authorities_of(gateway, component, direct, deployment_id)
        trust(template, authorities.name)
        parts.manifests.append(authorities)
    parts.edges += [Edge(before.id, deployment_id, "its pods read it") for before in parts.manifests]
    pods = deployment(gateway, component, template, reference_digest(gateway, text, every))
    protecting, order = protection(gateway, pods, callers)
    parts.manifests += [service(gateway, component), pods, *protecting]
    parts.edges += order
    return parts


def _judged(
    gateway: Gateway,
    models: Sequence[ServedModel],
    others: Sequence[External],
    entries: Sequence[Entry],
    read: Sequence[Variable],
    complete: bool,
) -> list[Finding]:
    findings = duplicate_variables(read)
    findings += taken_variables(gateway, set_variables())
    for other in others:
        findings += doubtful(other, pinned_image=gateway.spec.image is None)
    findings += bad_names(gateway, models)
    findings += unpinned_image(gateway)
    findings += uneven_weights(entries)
    findings += own_config(gateway, others)
    findings += idle_salt_key(gateway)
    if complete:
        findings += unknown_models(gateway, entries)
        findings += unknown_services(gateway, models)
        findings += [] if models or others else [nothing_selected(gateway)]
    return findings
