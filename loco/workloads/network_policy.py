"""Who may open connections to the pods of a service: NetworkPolicies, for what comes in.

Kubernetes' rules are easily turned into their opposite: a rule without ``from`` lets everybody in, a pod that any
policy selects is closed to all that no policy names. Hence no rule here has an empty list of peers, and there is no
policy at all where the callers aren't known.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Edge, Finding, Manifest, Parts
from loco.model.pod_templates import pod_templates
from loco.spec import Platform
from loco.spec.peer import Peer, rules_of
from loco.spec.stack import CONFIG
from loco.workloads.pod_selector import pod_selector

_IDENTITY = ("app.kubernetes.io/name", "app.kubernetes.io/part-of")  # what all pods of a service have in common
_PICKER_CALLS = ("grpc", "grpc-health")
_METRICS = "metrics"

Rule = dict[str, Any]


def network_policies(
    resolved: Resolved, manifests: Iterable[Manifest], platform: Platform, gateways: Sequence[Peer]
) -> Parts:
    """A policy for each of a service's workloads, its endpoint picker and its tokenizer; edges from each to its pods.

    Args:
        resolved: the service.
        manifests: all of its objects.
        platform: who calls through the shared Gateway, who scrapes, and who calls engines directly.
        gateways: the pods of the LiteLLM gateways that serve it.

    | pods | take calls at | from |
    |---|---|---|
    | all | every port | the pods of the same service |
    | engines | 8000 | the shared Gateway's peers, LiteLLM gateways, ``platform.clients``, a foreign pool's picker |
    | engines | 8000, behind a routing sidecar 8001 too | those who scrape |
    | endpoint picker | its gRPC ports | the shared Gateway's peers |
    | endpoint picker | its metrics port | those who scrape |

    Probes and port-forwards come from the node, which policies don't concern. None is made where callers are unknown:
    for a service behind a Gateway of which nobody says who calls for it (``LOCO-NETWORK-POLICY``), and for one without
    route, gateway and named clients, which only pods that loco doesn't know can be meant to call.
    """
    if resolved.profile.settings.network_policy != "namedPeers":
        return Parts()
    manifests = tuple(manifests)
    peers: Sequence[Peer] = ()
    if _behind_gateway(resolved):
        if findings := _unknown_callers(resolved, manifests, platform):
            return Parts(findings=findings)
        peers = platform.proxies
    callers = [*peers, *_foreign_picker(resolved), *gateways, *(platform.clients or ())]
    if not callers:
        return Parts()
    workloads = [manifest for manifest in manifests if any(pod_templates(manifest.data))]
    own = _pods_of_the_service(workloads)
    scrapers = platform.scrapers
    parts = Parts(findings=_unscraped(resolved, scrapers))
    for workload in workloads:
        rules = [{"from": own}]
        if workload.name == names.picker(resolved.name):
            rules += _rule(peers, _ports_named(workload, _PICKER_CALLS))
            rules += _rule(scrapers, _ports_named(workload, (_METRICS,)))
        elif workload.name != names.tokenizer(resolved.name):
            rules += _rule(callers, [names.ENGINE_PORT])
            rules += _rule(scrapers, _engine_metrics(workload))
        policy = _policy(resolved, workload, rules)
        parts.manifests.append(policy)
        parts.edges.append(Edge(policy.id, workload.id, "its pods are never without the policy"))
    return parts


def _behind_gateway(resolved: Resolved) -> bool:
    router = resolved.spec.router
    return router is not None and (router.route is not None or router.scheduler is not None)


def _foreign_picker(resolved: Resolved) -> list[Peer]:
    """Endpoint pickers of the namespace, where the pool is another service's: its picker reads the engines' load."""
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    if scheduler is None or scheduler.pool is None or scheduler.pool.ref is None:
        return []
    labels = {key: value for key, value in names.picker_labels("").items() if key != "app.kubernetes.io/name"}
    return [Peer.model_validate({"namespace": resolved.namespace, "podLabels": labels})]


def _unknown_callers(resolved: Resolved, manifests: Iterable[Manifest], platform: Platform) -> list[Finding]:
    """Why it isn't known who calls for the service's Gateway; nothing where it is."""
    gateway = platform.gateway
    where, cure = "platform.gateway.peers", "platform: {gateway: {peers: [{namespace: WHERE ITS PODS RUN}]}}"
    if gateway is None or not gateway.peers:
        message = "nobody says which pods call for the Gateway, so services behind it have no NetworkPolicy"
        return [Finding("LOCO-NETWORK-POLICY", "warning", where, message, cure, CONFIG)]
    if gateway.name is None:
        return []
    for namespace, name in _bound_to(manifests):
        if (namespace, name) != (gateway.namespace or resolved.namespace, gateway.name):
            message = (
                f"the route is bound to the Gateway {namespace}/{name}, and platform.gateway.peers tells who calls for "
                f"{gateway.name} alone, so the service has no NetworkPolicy"
            )
            cure = "the platform's Gateway for the route, or a policy of your own"
            return [Finding("LOCO-NETWORK-POLICY", "warning", where, message, cure, CONFIG, resolved.subject)]
    return []


def _bound_to(manifests: Iterable[Manifest]) -> Iterator[tuple[str, str]]:
    for manifest in manifests:
        if manifest.id.kind == "HTTPRoute":
            for parent in manifest.data["spec"].get("parentRefs") or []:
                yield parent.get("namespace") or manifest.namespace, parent["name"]


def _unscraped(resolved: Resolved, scrapers: Sequence[Peer]) -> list[Finding]:
    """An autoscaler without metrics stands still without a word."""
    scaled = [side.scaling for side in (resolved.spec, resolved.spec.prefill) if side is not None]
    if scrapers or not any(scaled):
        return []
    message = "the service is scaled by metrics, and its NetworkPolicy lets nobody scrape them"
    cure = "platform: {monitoring: {peers: [{namespace: WHERE PROMETHEUS RUNS}]}}"
    where = "platform.monitoring.peers"
    return [Finding("LOCO-NETWORK-POLICY", "warning", where, message, cure, CONFIG, resolved.subject)]


def _pods_of_the_service(workloads: Iterable[Manifest]) -> list[Rule]:
    """Peers that take in every pod of the workloads, also where ``spec.labels`` gives the engines another name."""
    found = []
    for workload in workloads:
        for _, template in pod_templates(workload.data):
            labels = template["metadata"]["labels"]
            peer = {"podSelector": {"matchLabels": {key: labels[key] for key in _IDENTITY}}}
            if peer not in found:
                found.append(peer)
    return found


def _rule(peers: Sequence[Peer], ports: Sequence[int]) -> list[Rule]:
    """None where there is nobody to let in, or nothing to be let in to."""
    if not peers or not ports:
        return []
    return [
        {
            "from": rules_of(peers),
            "ports": [{"port": port, "protocol": "TCP"} for port in ports],
        }
    ]


def _ports_named(workload: Manifest, wanted: Sequence[str]) -> list[int]:
    """Numbers of the containers' TCP ports of these names."""
    found = {
        int(port["containerPort"])
        for _, template in pod_templates(workload.data)
        for container in _running(template["spec"])
        for port in container.get("ports") or []
        if port.get("name") in wanted and port.get("protocol", "TCP") == "TCP"
    }
    return sorted(found)


def _engine_metrics(workload: Manifest) -> list[int]:
    roles = {template["metadata"]["labels"].get(names.ROLE) for _, template in pod_templates(workload.data)}
    ports = [names.ENGINE_PORT, *([names.DECODE_ENGINE_PORT] if "decode" in roles else [])]
    return [*ports, *(port for port in _ports_named(workload, (_METRICS,)) if port not in ports)]


def _running(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*(pod.get("initContainers") or []), *(pod.get("containers") or [])]


def _policy(resolved: Resolved, workload: Manifest, rules: Sequence[Rule]) -> Manifest:
    data = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {
            "name": workload.name,
            "namespace": workload.namespace,
            "labels": dict(workload.data["metadata"]["labels"]),
        },
        "spec": {
            "podSelector": {"matchLabels": pod_selector(workload)},
            "policyTypes": ["Ingress"],
            "ingress": list(rules),
        },
    }
    return Manifest(data, workload.component, resolved.origin)
