"""The outputs of a stack, from what it plans: the contract of ``loco.spec.outputs`` (docs/outputs.md)."""

from collections.abc import Iterable
from typing import Any

from loco import names
from loco.gateway import Gateway, exposed_urls
from loco.gateway.pod import PORT
from loco.layers import Resolved
from loco.pods.pool import has_own_pool, pool_name
from loco.pods.serving import serving_service
from loco.routing import addresses_of, served_model
from loco.spec import Platform
from loco.spec.outputs import (
    OUTPUTS_VERSION,
    Address,
    GatewayOutput,
    ModelOutput,
    SecretKeyOutput,
    StackOutputs,
    TrafficGroup,
    Upstream,
    WorkloadObject,
    Workloads,
)
from loco.workloads.side import sides


def outputs_of(services: Iterable[Resolved], gateways: Iterable[Gateway], platform: Platform) -> dict[str, Any]:
    """``version``, ``models`` and ``gateways``; the two are mappings by ``<namespace>/<name>``."""
    return StackOutputs(
        version=OUTPUTS_VERSION,
        models={names.component_name(s.namespace, s.name): _model(s, platform) for s in services},
        gateways={names.component_name(g.namespace, g.name): _gateway(g, platform) for g in gateways},
    ).as_dict()


def _model(service: Resolved, platform: Platform) -> ModelOutput:
    addresses = addresses_of(service, platform)
    served = served_model(service, platform)
    return ModelOutput(
        name=service.name,
        namespace=service.namespace,
        url=addresses[0].url,
        addresses=[Address.model_validate(address.as_dict()) for address in addresses],
        served_names=list(served.served_names),
        presets=[config.name for config in service.applied if config.source == "Preset"],
        base_refs=[config.name for config in service.applied if config.source == "UserRef"],
        workloads=_workloads(service),
        labels=dict(served.labels),
        adapters=list(served.adapters),
        upstream=Upstream(
            service=served.service_url,
            gateway=served.routed_url,
            routed=served.routed,
            scheduled=served.scheduled,
        ),
        group=None if served.group is None else TrafficGroup(name=served.group, weight=served.weight),
    )


def _workloads(service: Resolved) -> Workloads:
    engines = [
        WorkloadObject(kind=kind, name=name) for kind, name in (s.object_of(service.name) for s in sides(service))
    ]
    picker = WorkloadObject(kind="Deployment", name=names.picker(service.name))
    router = service.spec.router
    return Workloads(
        primary=engines[0],
        prefill=engines[1] if len(engines) > 1 else None,
        service=serving_service(service),
        scheduler=picker if has_own_pool(service) else None,
        pool=pool_name(service) if router is not None and router.scheduler is not None else None,
    )


def _gateway(gateway: Gateway, platform: Platform) -> GatewayOutput:
    host, _ = names.in_cluster_hosts(names.gateway(gateway.name), gateway.namespace)
    key = gateway.master_key
    return GatewayOutput(
        name=gateway.name,
        namespace=gateway.namespace,
        url=f"http://{host}:{PORT}",
        external_urls=exposed_urls(gateway, platform),
        master_key=SecretKeyOutput(namespace=gateway.namespace, name=key.name, key=key.key),
    )
