"""A gateway's pods and who may call them, where they are watched."""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.observability.watched import Watched
from loco.gateway.pod import from_secret, resources_of
from loco.model import Edge, Manifest, Parts
from loco.spec import Platform
from loco.spec.peer import Peer

METRICS = "metrics"  # the port's name
_LAST_PORT = 65535
_MEBIBYTES = 200  # that the process which serves metrics takes beside LiteLLM


def watch_pods(template: dict[str, Any], gateway: Gateway, watched: Watched) -> None:
    """Gives LiteLLM its variables, and the port for metrics if it has one of its own."""
    container = next(each for each in template["spec"]["containers"] if each["name"] == "litellm")
    container["env"] += [{"name": name, "value": value} for name, value in (watched.literal or {}).items()]
    container["env"] += [from_secret(variable.name, variable.source, optional=True) for variable in watched.secret]
    if watched.port is None:
        return
    container["args"] += ["--prometheus_metrics_port", str(watched.port)]
    container["ports"].append({"name": METRICS, "containerPort": watched.port, "protocol": "TCP"})
    if gateway.spec.placement is None or gateway.spec.placement.resources is None:
        container["resources"] = resources_of(gateway, beside=_MEBIBYTES)


def callers_beside_scrapers(watched: Watched, callers: Sequence[Peer], platform: Platform) -> Sequence[Peer]:
    """Who may call LiteLLM's main port: where metrics have a port of their own, no longer those who only scrape."""
    if watched.port is None:
        return callers
    return platform.proxies


def let_scrapers_in(
    gateway: Gateway, watched: Watched, pods: Manifest, protecting: Sequence[Manifest], platform: Platform
) -> Parts:
    """Sees to it that those who scrape, and they alone, may open connections to the port for metrics, which asks for no key.

    Into the gateway's NetworkPolicy where it has one. Else into one that lets everybody in at every other port. None
    where nobody is known to scrape: a rule without peers would let in everybody.
    """
    port, scrapers = watched.port, platform.scrapers
    if port is None or not scrapers:
        return Parts()
    rule = {"from": [peer.as_rule() for peer in scrapers], "ports": [{"port": port, "protocol": "TCP"}]}
    for manifest in protecting:
        if (manifest.id.kind, manifest.name) == ("NetworkPolicy", pods.name) and "ingress" in manifest.data["spec"]:
            manifest.data["spec"]["ingress"].append(rule)
            return Parts()
    ranges = [(1, port - 1), *([(port + 1, _LAST_PORT)] if port < _LAST_PORT else [])]
    others = [{"port": first, "endPort": last, "protocol": "TCP"} for first, last in ranges]
    labels = names.gateway_labels(gateway.name)
    data = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": names.gateway_metrics(gateway.name), "namespace": gateway.namespace, "labels": labels},
        "spec": {
            "podSelector": {"matchLabels": labels},
            "policyTypes": ["Ingress"],
            "ingress": [{"ports": others}, rule],
        },
    }
    policy = Manifest(data, pods.component, gateway.origin)
    return Parts(manifests=[policy], edges=[Edge(policy.id, pods.id, "its pods are never without the policy")])
