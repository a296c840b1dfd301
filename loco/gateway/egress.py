"""Whom a gateway's pods may call, where its spec asks for a NetworkPolicy on that: names, models, stores, and others.

Kubernetes judges the address that a Service has been resolved to, so ports here are those of pods. Where only a
Service's port is known, all ports of its pods are let through; but for Redis, whose Services have its pods' port.
"""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from loco import names
from loco.gateway.documents import External, Gateway
from loco.gateway.redis import PORT as REDIS_PORT
from loco.model import Finding, ServedModel
from loco.spec import Platform
from loco.spec.gateway_network import Destination
from loco.spec.peer import Peer
from loco.spec.texts import is_namespace

Rule = dict[str, Any]

_POSTGRES_PORT = 5432
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ENGINES = {"app.kubernetes.io/part-of": names.PART_OF, "kserve.io/component": "workload"}
# Not on the internet: private, shared and link-local ranges, the last with the cloud's own metadata.
_PRIVATE = ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")
_PRIVATE_V6 = ("fc00::/7", "fe80::/10")
_INTERNET: tuple[Rule, ...] = (
    {"ipBlock": {"cidr": "0.0.0.0/0", "except": list(_PRIVATE)}},
    {"ipBlock": {"cidr": "::/0", "except": list(_PRIVATE_V6)}},
)


def egress_rules(
    gateway: Gateway,
    managed: Sequence[tuple[ServedModel, str]],
    external: Iterable[External],
    platform: Platform,
) -> tuple[list[Rule], list[Finding]]:
    """The rules of the policy on what the pods call.

    ``LOCO-NETWORK-POLICY`` for somebody whom they call and of whom nobody says where he runs: the policy would cut the
    gateway off.

    Args:
        gateway: one whose spec has ``egress``.
        managed: the stack's own models with the URLs at which it calls them.
        external: the others.
        platform: who stands behind the URL of the platform's Gateway.
    """
    egress = gateway.spec.egress
    assert egress is not None
    rules = [_names(egress.dns)]
    direct = sorted({model.namespace for model, url in managed if url == model.service_url})
    if direct:
        pods = [{**_namespace(place), "podSelector": {"matchLabels": dict(_ENGINES)}} for place in direct]
        rules.append(_rule(pods, [names.ENGINE_PORT]))
    findings = []
    for url in sorted({url for model, url in managed if url != model.service_url}):
        peers = _behind(url, gateway, platform)
        if peers is None:
            message = f"nobody says which pods stand behind {url}, through which the gateway calls models"
            cure = "platform: {gateway: {peers: [{namespace: WHERE ITS PODS RUN}]}} in the stack config"
            findings.append(gateway.finding(("egress",), message, cure, code="LOCO-NETWORK-POLICY"))
        else:
            rules.append(_rule(peers, None))
    rules += _elsewhere(gateway, [model.spec.url for model in external])
    stores, unknown = _stores(gateway)
    rules += stores + [_destination(other, None) for other in egress.others or []]
    return _merged(rules), findings + unknown


def migration_rules(gateway: Gateway) -> list[Rule]:
    """The rules for the pods that migrate the database: names, and the database."""
    egress = gateway.spec.egress
    assert egress is not None
    return [_names(egress.dns), *([_destination(egress.database, [_POSTGRES_PORT])] if egress.database else [])]


def _stores(gateway: Gateway) -> tuple[list[Rule], list[Finding]]:
    egress, redis = gateway.spec.egress, gateway.spec.redis
    assert egress is not None
    rules, findings = [], []
    if egress.database is not None:
        rules.append(_destination(egress.database, [_POSTGRES_PORT]))
    if egress.redis is not None:
        rules.append(_destination(egress.redis, [redis.port or REDIS_PORT] if redis else None))
    lacking = [("database", gateway.spec.database is not None and egress.database is None)]
    if redis is not None and egress.redis is None:
        port = redis.port or REDIS_PORT
        place = _in_cluster(redis.host, gateway.namespace, port) if redis.host else None
        # A Service of Redis has its pods' port as a rule; without the port every pod of the namespace would be open.
        rules += [_rule(place["to"], [port])] if place is not None else []
        lacking.append(("redis", place is None))
    for name, unknown in lacking:
        if unknown:
            message = f"nobody says where the {name} runs, which the gateway's pods call"
            cure = f"egress: {{{name}: {{peers: [{{namespace: NAME}}]}}}}, or {{cidr: RANGE}} for one outside of the cluster"
            findings.append(gateway.finding(("egress",), message, cure, code="LOCO-NETWORK-POLICY"))
    for field, there in (("database", gateway.spec.database), ("redis", redis)):
        if getattr(egress, field) is not None and there is None:
            message, cure = (
                f"the gateway has no {field} to call",
                f"{field} in the gateway's spec, or egress without it",
            )
            findings.append(
                gateway.finding(("egress", field), message, cure, code="LOCO-NO-EFFECT", severity="warning")
            )
    return rules, findings


def _behind(url: str, gateway: Gateway, platform: Platform) -> list[Rule] | None:
    """Who answers at a URL of the platform's Gateway; a Service's pods are in its own namespace."""
    fact = platform.gateway
    if fact is not None and fact.peers and fact.internal_url and _root(url) == _root(fact.internal_url):
        return [peer.as_rule() for peer in fact.peers]
    found = _in_cluster(urlsplit(url).hostname or "", gateway.namespace, None)
    return list(found["to"]) if found is not None else None


def outside_ports(gateway: Gateway, urls: Iterable[str]) -> set[int]:
    """The ports of those URLs whose hosts are names of somebody outside of the cluster."""
    targets = [_target(url) for url in urls]
    return {port for host, port in targets if _in_cluster(host, gateway.namespace, port) is None}


def _target(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme]


def _elsewhere(gateway: Gateway, urls: Sequence[str]) -> list[Rule]:
    egress = gateway.spec.egress
    assert egress is not None
    places = [_in_cluster(host, gateway.namespace, port) for host, port in map(_target, urls)]
    rules = [place for place in places if place is not None]
    ports = outside_ports(gateway, urls)
    if ports or egress.external:
        ranges = [{"ipBlock": {"cidr": each}} for each in egress.external or []] or [dict(each) for each in _INTERNET]
        rules.append(_rule(ranges, sorted(ports or {443})))
    return rules


def _in_cluster(host: str, namespace: str, port: int | None) -> Rule | None:
    """The rule for a Service's name or an address; None for a name that stands for something outside."""
    try:
        address = ip_address(host)
    except ValueError:
        pass
    else:
        return _rule([{"ipBlock": {"cidr": f"{address}/{address.max_prefixlen}"}}], [port] if port else None)
    labels = host.split(".")
    if len(labels) > 1:
        if "svc" not in labels[2:]:
            return None
        namespace = labels[labels.index("svc", 2) - 1]
    return _rule([_namespace(namespace)], None) if is_namespace(namespace) else None


def _names(servers: Sequence[Peer]) -> Rule:
    ports = [{"port": 53, "protocol": protocol} for protocol in ("UDP", "TCP")]
    return {"to": [peer.as_rule() for peer in servers], "ports": ports}


def _destination(destination: Destination, ports: Sequence[int] | None) -> Rule:
    return _rule([peer.as_rule() for peer in destination.peers], destination.ports or ports)


def _namespace(name: str) -> Rule:
    return Peer.model_validate({"namespace": name}).as_rule()


def _rule(peers: Sequence[Rule], ports: Sequence[int] | None) -> Rule:
    rule: Rule = {"to": list(peers)}
    return {**rule, "ports": [{"port": port, "protocol": "TCP"} for port in ports]} if ports else rule


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    return list({repr(rule): rule for rule in rules}.values())


def _root(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
