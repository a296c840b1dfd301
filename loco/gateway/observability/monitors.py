"""PodMonitors of engines and endpoint pickers, and what finds a gateway's metrics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.gateway.documents import Gateway, Observability
from loco.gateway.observability.picker_access import token_secret
from loco.gateway.observability.pods import METRICS
from loco.model import Manifest, ManifestId, ScrapeTarget, Wait
from loco.spec.observability import Metrics

GROUP = "monitoring.coreos.com/v1"
_PATH = "/metrics"
_BEHIND_KEY = "/metrics/"  # LiteLLM answers without the slash with a redirection
_KEPT = ["app.kubernetes.io/name", names.ROLE]  # labels of pods that their series have too

_Alike = tuple[str, str, str, str, str, int, str]


@dataclass(frozen=True, slots=True)
class Job:
    """What Prometheus scrapes by one monitor.

    Attributes:
        name: the label ``job`` of its series.
        workloads: which make the pods.
    """

    namespace: str
    name: str
    workloads: tuple[ManifestId, ...]


def pod_monitors(
    observability: Observability, component: str, metrics: Metrics, targets: Iterable[ScrapeTarget]
) -> list[Manifest]:
    """One for all targets that differ in their service alone; with TLS one for each, for each has its own authority."""
    origin = observability.origin_at("metrics")
    return [Manifest(_pod_monitor(observability, metrics, found), component, origin) for found in _all_alike(targets)]


def scrape_jobs(
    observability: Observability, metrics: Metrics, targets: Iterable[ScrapeTarget], gateways: Iterable[Gateway]
) -> list[Job]:
    """What the monitors have Prometheus scrape, by the names that the operator gives: a PodMonitor's, or a Service's."""
    jobs = [
        Job(
            found[0].namespace,
            f"{found[0].namespace}/{_name(observability, found[0])}",
            tuple(target.workload for target in found),
        )
        for found in _all_alike(targets)
    ]
    of_service = names.gateway if metrics.gateway.port is None else names.gateway_metrics
    for gateway in gateways:
        pods = ManifestId("apps/v1", "Deployment", gateway.namespace, names.gateway(gateway.name))
        jobs.append(Job(gateway.namespace, of_service(gateway.name), (pods,)))
    return jobs


def service_monitor(observability: Observability, component: str, metrics: Metrics, gateway: Gateway) -> list[Manifest]:
    """The monitor of one gateway, and before it the Service of its port for metrics where it has one.

    That Service stands apart from the one which clients, routes and load balancers use: its port asks for no key.
    """
    origin = observability.origin_at("metrics")
    made = []
    if (port := metrics.gateway.port) is not None:
        labels = names.gateway_metrics_labels(gateway.name)
        name = names.gateway_metrics(gateway.name)
        spec: dict[str, Any] = {
            "clusterIP": "None",
            "selector": names.gateway_labels(gateway.name),
            "ports": [{"name": METRICS, "port": port, "targetPort": METRICS, "protocol": "TCP"}],
        }
        metadata = {"name": name, "namespace": gateway.namespace, "labels": labels}
        service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        made.append(Manifest(service, component, origin, wait=Wait(skip=True)))
        # Series are the gateway's, by whichever Service they are read.
        relabeling = {"action": "replace", "targetLabel": "service", "replacement": names.gateway(gateway.name)}
        endpoint: dict[str, Any] = {
            "port": METRICS,
            "path": _PATH,
            "interval": metrics.interval,
            "relabelings": [relabeling],
        }
    else:
        labels = names.gateway_labels(gateway.name)
        endpoint = {
            "port": "http",
            "path": _BEHIND_KEY,
            "interval": metrics.interval,
            "authorization": _bearer(gateway.master_key.name, gateway.master_key.key),
        }
    monitor = {
        "apiVersion": GROUP,
        "kind": "ServiceMonitor",
        "metadata": _metadata(observability, metrics, names.gateway(gateway.name), gateway.namespace),
        "spec": {"selector": {"matchLabels": labels}, "endpoints": [endpoint]},
    }
    return [*made, Manifest(monitor, component, origin)]


def _all_alike(targets: Iterable[ScrapeTarget]) -> list[list[ScrapeTarget]]:
    """The targets of each monitor."""
    alike: dict[_Alike, list[ScrapeTarget]] = {}
    for target in targets:
        alike.setdefault(_alike(target), []).append(target)
    return [alike[key] for key in sorted(alike)]


def _name(observability: Observability, target: ScrapeTarget) -> str:
    if target.authority is not None:
        return target.workload.name
    return names.monitor(observability.name, "-".join(part for part in (target.sort, target.variant) if part))


def _alike(target: ScrapeTarget) -> _Alike:
    others = {key: value for key, value in target.selector.items() if key != target.identity}
    own = target.workload.name if target.authority is not None else ""
    return (
        target.namespace,
        target.sort,
        target.variant,
        repr(sorted(others.items())),
        target.identity,
        target.port,
        own,
    )


def _pod_monitor(observability: Observability, metrics: Metrics, targets: Sequence[ScrapeTarget]) -> dict[str, Any]:
    target = targets[0]
    endpoint: dict[str, Any] = {"portNumber": target.port, "path": _PATH, "interval": metrics.interval}
    if target.authority is not None:
        authority = {"secret": {"name": target.authority.secret, "key": target.authority.key}}
        endpoint["scheme"] = "https"
        endpoint["tlsConfig"] = {"ca": authority, "serverName": target.authority.server_name}
    if target.authenticated:
        endpoint["authorization"] = _bearer(token_secret(observability), "token")
    return {
        "apiVersion": GROUP,
        "kind": "PodMonitor",
        "metadata": _metadata(observability, metrics, _name(observability, target), target.namespace),
        "spec": {
            "selector": _selector(targets),
            "podTargetLabels": list(_KEPT),
            "podMetricsEndpoints": [endpoint],
        },
    }


def _selector(targets: Sequence[ScrapeTarget]) -> dict[str, Any]:
    """The pods of all targets, which agree in every label but the identity's, and no others."""
    target = targets[0]
    if len(targets) == 1:
        return {"matchLabels": dict(target.selector)}
    common = {key: value for key, value in target.selector.items() if key != target.identity}
    values = sorted({each.selector[each.identity] for each in targets})
    return {
        "matchLabels": common,
        "matchExpressions": [{"key": target.identity, "operator": "In", "values": values}],
    }


def _bearer(secret: str, key: str) -> Mapping[str, Any]:
    return {"type": "Bearer", "credentials": {"name": secret, "key": key}}


def _metadata(observability: Observability, metrics: Metrics, name: str, namespace: str) -> dict[str, Any]:
    labels = {**names.observability_labels(observability.name), **(metrics.labels or {})}
    return {"name": name, "namespace": namespace, "labels": labels}
