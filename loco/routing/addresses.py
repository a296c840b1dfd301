"""Where a service answers, computed without a cluster from what the platform says of itself."""

from dataclasses import dataclass

from loco import names
from loco.layers import Resolved
from loco.model import ServedModel
from loco.pods.serving import serving_service
from loco.spec import Platform


@dataclass(frozen=True, slots=True)
class Address:
    """One base URL: ``name`` is gateway-external, gateway-internal or service; requests go to ``<url>/v1/…``."""

    name: str
    url: str

    def as_dict(self) -> dict[str, str]:
        return {"name": self.name, "url": self.url}


def addresses_of(resolved: Resolved, platform: Platform) -> list[Address]:
    """The best first: through the platform's gateway from outside, from inside, then straight to the Service."""
    found = []
    if _is_routed(resolved) and platform.gateway is not None:
        path = f"/{resolved.namespace}/{resolved.name}"
        for name, base in (
            ("gateway-external", platform.gateway.url),
            ("gateway-internal", platform.gateway.internal_url),
        ):
            if base:
                found.append(Address(name, f"{base.rstrip('/')}{path}"))
    host, _ = names.in_cluster_hosts(serving_service(resolved), resolved.namespace)
    scheme = "https" if resolved.tls else "http"
    found.append(Address("service", f"{scheme}://{host}:{names.ENGINE_PORT}"))
    return found


def served_model(resolved: Resolved, platform: Platform) -> ServedModel:
    """The service as the gateway needs to know it."""
    found = {address.name: address.url for address in addresses_of(resolved, platform)}
    router = resolved.spec.router
    return ServedModel(
        resolved.namespace,
        resolved.name,
        names.served_names(resolved.namespace, resolved.model_name),
        resolved.labels,
        found["service"],
        found.get("gateway-internal"),
        _is_routed(resolved),
        router is not None and router.scheduler is not None,
        resolved.origin,
    )


def _is_routed(resolved: Resolved) -> bool:
    """Whether there is a route of loco's making; where a user's own routes lead, only they know."""
    route = resolved.spec.router.route if resolved.spec.router else None
    return route is not None and not (route.http and route.http.refs)
