"""A gateway's pods and who may call them, where they are watched."""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Gateway
from loco.gateway.observability.watched import Watched
from loco.model import Edge, Manifest, Parts
from loco.spec import Platform
from loco.spec.peer import Peer

METRICS = "metrics"  # the port's name
_LAST_PORT = 65535
# The process that serves metrics takes some 200 MiB beside LiteLLM.
RESOURCES = {"requests": {"cpu": "500m", "memory": "712Mi"}, "limits": {"memory": "1224Mi"}}
RESOURCES_WITH_DATABASE = {"requests": {"cpu": "500m", "memory": "1224Mi"}, "limits": {"memory": "2248Mi"}}


def watch_pods(template: dict[str, Any], gateway: Gateway, watched: Watched) -> None:
    """Gives LiteLLM its variables, and the port for metrics if it has one of its own."""
    container = next(each for each in template["spec"]["containers"] if each["name"] == "litellm")
    container["env"] += [{"name": name, "value": value} for name, value in (watched.literal or {}).items()]
    for variable in watched.secret:
        reference = {"name": variable.source.name, "key": variable.source.key, "optional": True}
        container["env"].append({"name": variable.name, "valueFrom": {"secretKeyRef": reference}})
    if watched.port is None:
        return
    container["args"] += ["--prometheus_metrics_port", str(watched.port)]
    container["ports"].append({"name": METRICS, "containerPort": watched.port, "protocol": "TCP"})
    chosen = gateway.spec.placement is not None and gateway.spec.placement.resources is not None
    if not chosen:
        resources = RESOURCES if gateway.spec.database is None else RESOURCES_WITH_DATABASE
        container["resources"] = {kind: dict(amounts) for kind, amounts in resources.items()}


def callers_beside_scrapers(watched: Watched, callers: Sequence[Peer], platform: Platform) -> Sequence[Peer]:
    """Who may call LiteLLM's main port: where metrics have a port of their own, no longer those who only scrape."""
    if watched.port is None:
        return callers
    return (platform.gateway.peers if platform.gateway is not None else None) or ()


def let_scrapers_in(
    gateway: Gateway, watched: Watched, pods: Manifest, protecting: Sequence[Manifest], platform: Platform
) -> Parts:
    """Sees to it that those who scrape, and they alone, may open connections to the port for metrics, which asks for no key.

    Into the gateway's NetworkPolicy where it has one. Else into one that lets everybody in at every other port. None
    where nobody is known to scrape: a rule without peers would let in everybody.
    """
    port = watched.port
    scrapers = (platform.monitoring.peers if platform.monitoring is not None else None) or ()
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
