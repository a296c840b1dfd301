"""All manifests of the stack's LiteLLMGateways: the only door of this room."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from loco import names
from loco.gateway.additions import add_to_pods, variables_of_containers
from loco.gateway.authorities import authorities_of, directly_served, trust
from loco.gateway.config import config_digest, config_of, config_text
from loco.gateway.credentials import (
    Credentials,
    is_generated,
    opaque_secret,
    own_keys,
    uses_of,
    variable_uses,
)
from loco.gateway.database import DATABASES, database_variables, misplaced_database
from loco.gateway.documents import External, Gateway, Observability
from loco.gateway.egress import egress_rules
from loco.gateway.entries import Entry, entries_of
from loco.gateway.groups import by_route, uneven_weights
from loco.gateway.idle_settings import idle_settings
from loco.gateway.manifests import config_map, deployment, disruption_budget, service
from loco.gateway.migration import migration, url_of_migration
from loco.gateway.network_policy import network_policies
from loco.gateway.observability import callers_beside_scrapers, judged, let_scrapers_in, watch_pods, watched
from loco.gateway.own_config import idle_salt_key, own_config
from loco.gateway.plain_secrets import plain_secrets
from loco.gateway.pod import pod_template, set_variables
from loco.gateway.redis import other_redis, redis_targets, redis_variables, unshared_limits
from loco.gateway.reference_digest import reference_digest
from loco.gateway.references import unknown_models, unknown_services
from loco.gateway.refused_settings import refused_settings
from loco.gateway.scaling import autoscaler
from loco.gateway.served import bad_names, nothing_selected, service_url, too_large, unpinned_image, unserved
from loco.gateway.upstream import doubtful
from loco.gateway.variables import Variable, duplicate_variables, own_variables, taken_variables, variables
from loco.gateway.whole_secrets import whole_secret_variables
from loco.model import Edge, Finding, Manifest, ManifestId, Parts, SecretValue, ServedModel
from loco.spec import GATEWAY, Platform
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
    platform: Platform = Platform(),  # noqa: B008 - frozen
    observability: Observability | None = None,
    stack: str | None = None,
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
        platform: where Prometheus is, and who stands behind the platform's Gateway.
        observability: how they are watched; None where they aren't.
        stack: the stack's name.
    """
    built = [
        _build(gateway, served, external, declared, complete, rotation, callers, platform, observability, stack)
        for gateway in gateways
    ]
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
    platform: Platform,
    observability: Observability | None,
    stack: str | None,
) -> Parts:
    parts = Parts()
    models = [model for model in served if gateway.takes(model.labels)]
    others = [model for model in external if gateway.takes(model.labels)]
    reached = [(model, service_url(model, gateway, parts.findings)) for model in models]
    managed = [(model, url) for model, url in reached if url is not None]
    read = [variable for model in others for variable in variables(model, gateway.namespace)]
    # One that can't be reached is an error of its own, and still a model that fallbacks may name.
    entries = by_route(entries_of(gateway, [(model, url or "") for model, url in reached], others))
    stored = [*database_variables(gateway), *redis_variables(gateway)]
    taken = set_variables() | {variable.name for variable in stored}
    watching = watched(gateway, observability, stack)
    whole, findings = whole_secret_variables(gateway, declared, taken | watching.taken | redis_targets(gateway))
    secret = [*stored, *read, *whole]
    parts.findings += findings
    parts.findings += _judged(gateway, models, others, entries, [*secret, *watching.secret], taken, complete)
    parts.findings += judged(gateway, observability, watching, taken, others)

    component = names.owner(GATEWAY, gateway.namespace, gateway.name)
    deployment_id = ManifestId("apps/v1", "Deployment", gateway.namespace, names.gateway(gateway.name))
    every = [*secret, *own_variables(gateway)]
    parts.credential_uses, findings = uses_of(
        gateway, [*every, *watching.secret, *variables_of_containers(gateway)], declared, deployment_id
    )
    parts.findings += findings
    for which, source in own_keys(gateway):
        if is_generated(gateway, which):
            made = opaque_secret(source.name, gateway.namespace, component, gateway.origin)
            parts.manifests.append(made)
            rotated = rotation.master_keys if which == "master-key" else rotation.salt_keys
            parts.secret_values.append(SecretValue(made.id, source.key, None, which, rotated))

    settings = config_of(gateway.spec, entries, watching.callbacks, watching.settings)
    text = config_text(settings)
    parts.findings += too_large(gateway, text, len(entries))
    config = config_map(gateway, component, text)
    template = pod_template(gateway, config.name, config_digest(text), secret)
    parts.manifests.append(config)
    if direct := directly_served(managed):
        authorities, parts.authorities = authorities_of(gateway, component, direct, deployment_id)
        trust(template, authorities.name)
        parts.manifests.append(authorities)
    parts.edges += [Edge(before.id, deployment_id, "its pods read it") for before in parts.manifests]
    watch_pods(template, gateway, watching)
    parts.findings += add_to_pods(gateway, template)
    if gateway.spec.database is not None:
        parts.add([_migration(gateway, component, declared, deployment_id)])
    pods = deployment(gateway, component, template, reference_digest(gateway, text, every))
    parts.manifests += [service(gateway, component), pods, disruption_budget(gateway, component)]
    callers = callers_beside_scrapers(watching, callers, platform)
    parts.add([_around(gateway, pods, managed, others, callers, platform, settings)])
    parts.add([let_scrapers_in(gateway, watching, pods, parts.manifests, platform)])
    return parts


def _migration(gateway: Gateway, component: str, declared: Credentials, pods: ManifestId) -> Parts:
    """The Job before the pods, and what it reads."""
    job = migration(gateway, component)
    uses, findings = variable_uses(gateway, [url_of_migration(gateway)], declared, job.id)
    edge = Edge(job.id, pods, "its pods find the database as they expect it")
    return Parts(manifests=[job], edges=[edge], credential_uses=uses, findings=findings)


def _around(
    gateway: Gateway,
    pods: Manifest,
    managed: Sequence[tuple[ServedModel, str]],
    others: Sequence[External],
    callers: Sequence[Peer],
    platform: Platform,
    config: Mapping[str, Any],
) -> Parts:
    """What scales the pods and what shuts them off, where the spec asks for it."""
    parts = Parts()
    scaler, parts.findings = autoscaler(gateway, pods, platform, config)
    if scaler is not None:
        parts.manifests.append(scaler)
        parts.edges.append(Edge(pods.id, scaler.id, "it scales what is there"))
    egress = None
    if gateway.spec.egress is not None:
        egress, findings = egress_rules(gateway, managed, others, platform)
        parts.findings += findings
    policies, order = network_policies(gateway, pods, callers, egress)
    parts.manifests += policies
    parts.edges += order
    return parts


def _judged(
    gateway: Gateway,
    models: Sequence[ServedModel],
    others: Sequence[External],
    entries: Sequence[Entry],
    secret: Sequence[Variable],
    taken: Set[str],
    complete: bool,
) -> list[Finding]:
    findings = duplicate_variables(secret)
    findings += taken_variables(gateway, taken - DATABASES)
    findings += misplaced_database(gateway)
    findings += other_redis(gateway, gateway)
    findings += unshared_limits(gateway, entries)
    findings += plain_secrets(gateway)
    for other in others:
        findings += doubtful(other, pinned_image=gateway.spec.image is None)
    findings += bad_names(gateway, models)
    findings += unpinned_image(gateway)
    findings += uneven_weights(entries)
    findings += own_config(gateway, others, [variable.name for variable in secret])
    findings += refused_settings(gateway)
    findings += idle_settings(gateway, entries)
    findings += idle_salt_key(gateway)
    if complete:
        findings += unknown_services(gateway, models)
        findings += unknown_models(gateway, entries, models)
        findings += [] if models or others else [nothing_selected(gateway)]
    return findings
