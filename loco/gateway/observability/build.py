"""The objects that watch a stack: monitors, the right to read pickers' metrics, a dashboard, alert rules."""

from collections.abc import Iterable, Sequence

from loco import names
from loco.gateway.documents import Gateway, Observability
from loco.gateway.observability.alerts import alerts
from loco.gateway.observability.dashboard import dashboard
from loco.gateway.observability.judged import bad_port, unscraped, unseen
from loco.gateway.observability.monitors import pod_monitors, scrape_jobs, service_monitor
from loco.gateway.observability.picker_access import picker_access
from loco.model import Edge, Manifest, ManifestId, Parts, ScrapeTarget
from loco.spec import OBSERVABILITY
from loco.spec.peer import Peer


def watch(
    observability: Observability,
    gateways: Sequence[Gateway],
    targets: Sequence[ScrapeTarget],
    manifests: Iterable[Manifest],
    scrapers: Sequence[Peer],
    whole: bool = True,
) -> Parts:
    """Everything that is made beside the pods themselves.

    Args:
        observability: the stack's document.
        gateways: all of the stack's.
        targets: pods of its services that have metrics.
        manifests: the plan's, among which its NetworkPolicies are.
        scrapers: who is known to scrape.
        whole: whether ``gateways`` and ``targets`` are all; if not, those that aren't there may be what was refused.
    """
    spec = observability.spec
    component = names.owner(OBSERVABILITY, observability.namespace, observability.name)
    parts = Parts(findings=[*bad_port(observability), *unseen(observability, gateways, targets, whole)])
    parts.findings += unscraped(observability, gateways, targets, manifests, scrapers)
    if spec.metrics is not None:
        pickers = [target.namespace for target in targets if target.authenticated]
        parts.add([picker_access(observability, component, pickers)])
        monitors = pod_monitors(observability, component, spec.metrics, targets)
        parts.edges += [
            Edge(made.id, monitor.id, "Prometheus shows this token to the pickers")
            for made in parts.manifests
            if made.id.kind == "Secret"
            for monitor in monitors
            if monitor.namespace == made.namespace and _shows_token(monitor)
        ]
        parts.manifests += monitors
        for gateway in gateways:
            parts.manifests += service_monitor(observability, component, spec.metrics, gateway)
    places, workloads = _places(gateways, targets), _workloads(gateways, targets)
    jobs = scrape_jobs(observability, spec.metrics, targets, gateways) if spec.metrics is not None else []
    if spec.dashboard is not None:
        every = sorted({place for found in places.values() for place in found})
        parts.manifests.append(dashboard(observability, component, spec.dashboard, every, list(places), workloads))
    if spec.alerts is not None:
        parts.manifests.append(alerts(observability, component, spec.alerts, places, workloads, jobs))
    return parts


def _shows_token(monitor: Manifest) -> bool:
    return any("authorization" in endpoint for endpoint in monitor.data["spec"]["podMetricsEndpoints"])


def _places(gateways: Sequence[Gateway], targets: Sequence[ScrapeTarget]) -> dict[str, list[str]]:
    """The namespaces of each sort of pods that the stack has."""
    found: dict[str, set[str]] = {}
    for target in targets:
        found.setdefault(target.sort, set()).add(target.namespace)
    for gateway in gateways:
        found.setdefault("gateway", set()).add(gateway.namespace)
    return {sort: sorted(found[sort]) for sort in sorted(found)}


def _workloads(gateways: Sequence[Gateway], targets: Sequence[ScrapeTarget]) -> list[ManifestId]:
    own = [ManifestId("apps/v1", "Deployment", each.namespace, names.gateway(each.name)) for each in gateways]
    return [*(target.workload for target in targets), *own]
