"""Where a service answers, computed without a cluster from its route and what the platform says of its Gateways."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from loco import names
from loco.layers import Resolved
from loco.model import ManifestId, ServedModel
from loco.pods.serving import serving_service
from loco.routing.base_paths import base_paths
from loco.routing.gateway_facts import fact_of
from loco.routing.route import is_routed, route_spec
from loco.spec import Platform
from loco.spec.platform_gateway import KnownGateway, covers

_EXTERNAL, _INTERNAL, _SERVICE = "gateway-external", "gateway-internal", "service"
_OWN_PATH, _PUBLISHER, _BY_MODEL, _ROOT = "-path", "-publisher", "-model-routing", "-root"


@dataclass(frozen=True, slots=True)
class Address:
    """One base URL; requests go to ``<url>/v1/…``.

    Attributes:
        name: ``service``; or ``gateway-external`` or ``gateway-internal`` for the service's own path, with
            ``-publisher`` for its publisher path, ``-path`` for one of the user's rules, ``-model-routing`` for the root
            with a header that names the model, ``-root`` for the root without.
        header: the header that must name the model, None where the path alone does.
        values: what it holds, by the plain name of the model and of each adapter.
    """

    name: str
    url: str
    header: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        plain = {"name": self.name, "url": self.url}
        return plain if self.header is None else {**plain, "header": self.header, "values": dict(self.values)}


def addresses_of(resolved: Resolved, platform: Platform) -> list[Address]:
    """The best first: through Gateways from outside, from inside, then straight to the Service.

    An address that is nothing but the root of a Gateway comes last: many models share it, so it is never the one to
    take without a thought.
    """
    routed = list(_through_gateways(resolved, platform)) if is_routed(resolved) else []
    host, _ = names.in_cluster_hosts(serving_service(resolved), resolved.namespace)
    scheme = "https" if resolved.tls else "http"
    direct = Address(_SERVICE, f"{scheme}://{host}:{names.ENGINE_PORT}")
    found = [*sorted(routed, key=_rank), direct]
    return list({repr(address): address for address in sorted(found, key=_is_shared)}.values())


def served_model(resolved: Resolved, platform: Platform) -> ServedModel:
    """The service as the gateway needs to know it."""
    addresses = addresses_of(resolved, platform)
    inside = [f"{_INTERNAL}{which}" for which in ("", _OWN_PATH, _PUBLISHER)]
    router = resolved.spec.router
    secret = ManifestId("v1", "Secret", resolved.namespace, names.certificate_secret(resolved.name))
    return ServedModel(
        resolved.namespace,
        resolved.name,
        names.served_names(resolved.namespace, resolved.model_name),
        resolved.labels,
        next(address.url for address in addresses if address.name == _SERVICE),
        next((address.url for address in addresses if address.name in inside), None),
        is_routed(resolved),
        router is not None and router.scheduler is not None,
        resolved.origin,
        secret if resolved.tls else None,
        resolved.adapter_names,
        router.route.group if router is not None and router.route is not None else None,
        router.route.weight if router is not None and router.route is not None else None,
    )


def _through_gateways(resolved: Resolved, platform: Platform) -> Iterator[Address]:
    spec, _ = route_spec(resolved, platform)
    hosts = [host for host in spec.get("hostnames") or [] if isinstance(host, str)]
    model, namespace = resolved.model_name, resolved.namespace
    values = {name: names.publisher_name(namespace, name) for name in (model, *resolved.adapter_names)}
    kinds = {f"/{namespace}/{resolved.name}": "", f"/{names.publisher_name(namespace, model)}": _PUBLISHER}
    for parent in spec.get("parentRefs") or []:
        fact = fact_of(parent, namespace, platform)
        if fact is None:
            continue
        for where, root in _roots(fact, hosts):
            for base in base_paths(spec.get("rules") or []):
                url = f"{root.rstrip('/')}{base.path}"
                if base.by_header:
                    yield Address(f"{where}{_BY_MODEL}", url, names.ROUTING_HEADER, values)
                else:
                    kind = kinds.get(base.path, _OWN_PATH if base.path else _ROOT)
                    yield Address(f"{where}{kind}", url)


def _roots(fact: KnownGateway, hosts: list[str]) -> Iterator[tuple[str, str]]:
    """Where a Gateway is reached, outside and inside, by those of its hostnames that a route with these takes.

    From outside a route's own hostnames lead to the Gateway too, that is what they are for.
    """
    outside = fact.external_url()
    if outside is not None and _taken(outside, hosts):
        yield _EXTERNAL, outside
    else:
        for host in hosts:
            if not host.startswith("*") and (url := fact.url_of(host)) is not None:
                yield _EXTERNAL, url
    if fact.internal_url is not None and _taken(fact.internal_url, hosts):
        yield _INTERNAL, fact.internal_url


def _taken(url: str, hosts: list[str]) -> bool:
    return not hosts or any(covers(host, urlsplit(url).hostname or "") for host in hosts)


def _rank(address: Address) -> tuple[bool, int]:
    order = ("", _OWN_PATH, _PUBLISHER, _BY_MODEL, _ROOT)
    outside = address.name.startswith(_EXTERNAL)
    return (not outside, order.index(address.name.removeprefix(_EXTERNAL if outside else _INTERNAL)))


def _is_shared(address: Address) -> bool:
    return address.name.endswith((_BY_MODEL, _ROOT))
