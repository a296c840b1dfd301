"""The outputs of a stack: a contract for other projects, plain values without any secret (docs/outputs.md)."""

from collections.abc import Iterable
from typing import Any

from loco import names
from loco.gateway import Gateway, exposed_urls
from loco.gateway.pod import PORT
from loco.layers import Resolved
from loco.pods.pool import has_own_pool, pool_name
from loco.pods.serving import serving_service
from loco.routing import addresses_of
from loco.spec import Platform
from loco.workloads.side import sides

OUTPUTS_VERSION = 1


def outputs_of(services: Iterable[Resolved], gateways: Iterable[Gateway], platform: Platform) -> dict[str, Any]:
    """``version``, ``models`` and ``gateways``; the two are mappings by ``<namespace>/<name>``."""
    return {
        "version": OUTPUTS_VERSION,
        "models": {names.component_name(s.namespace, s.name): _model(s, platform) for s in services},
        "gateways": {names.component_name(g.namespace, g.name): _gateway(g, platform) for g in gateways},
    }


def _model(service: Resolved, platform: Platform) -> dict[str, Any]:
    addresses = addresses_of(service, platform)
    router = service.spec.router
    engines = [side.object_of(service.name) for side in sides(service)]
    workloads: dict[str, Any] = {
        key: {"kind": kind, "name": name} for key, (kind, name) in zip(("primary", "prefill"), engines, strict=False)
    }
    workloads["service"] = serving_service(service)
    if has_own_pool(service):
        workloads["scheduler"] = {"kind": "Deployment", "name": names.picker(service.name)}
    if router is not None and router.scheduler is not None:
        workloads["pool"] = pool_name(service)
    return {
        "name": service.name,
        "namespace": service.namespace,
        "url": addresses[0].url,
        "addresses": [address.as_dict() for address in addresses],
        "servedNames": list(names.served_names(service.namespace, service.model_name)),
        "presets": [config.name for config in service.applied if config.source == "Preset"],
        "baseRefs": [config.name for config in service.applied if config.source == "UserRef"],
        "workloads": workloads,
    }


def _gateway(gateway: Gateway, platform: Platform) -> dict[str, Any]:
    host, _ = names.in_cluster_hosts(names.gateway(gateway.name), gateway.namespace)
    return {
        "name": gateway.name,
        "namespace": gateway.namespace,
        "url": f"http://{host}:{PORT}",
        "externalURLs": exposed_urls(gateway, platform),
        "masterKey": {
            "namespace": gateway.namespace,
            "name": gateway.master_key.name,
            "key": gateway.master_key.key,
        },
    }
