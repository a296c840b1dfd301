"""Where engines serve their metrics."""

from collections.abc import Iterable, Iterator

from loco import names
from loco.layers import Resolved
from loco.model import Authority, Manifest, ScrapeTarget
from loco.model.pod_templates import pod_templates
from loco.workloads.pod_selector import pod_selector
from loco.workloads.routing_sidecar import sidecar_of
from loco.workloads.side import sides

_FIRST = {"leaderworkerset.sigs.k8s.io/worker-index": "0"}  # of each group, the pod that takes the requests
_OF_GROUPS = "leaderworkerset.sigs.k8s.io/name"
_NAME = "app.kubernetes.io/name"
_AUTHORITY = "ca.crt"


def engine_targets(resolved: Resolved, manifests: Iterable[Manifest]) -> Iterator[ScrapeTarget]:
    """One target for each of a running service's workloads among its manifests.

    Behind a routing sidecar the engine listens at another port, and the sidecar's own has no metrics of its own. Of a
    LeaderWorkerSet's groups the leaders serve.
    """
    made = {(manifest.id.kind, manifest.name): manifest for manifest in manifests}
    for side in sides(resolved):
        workload = made.get(side.object_of(resolved.name))
        if workload is None:
            continue
        _, template = next(pod_templates(workload.data))
        groups = workload.id.kind == "LeaderWorkerSet"
        selector = pod_selector(workload)
        variant = "" if side.role == "both" else side.role
        port = names.DECODE_ENGINE_PORT if sidecar_of(template["spec"]) else names.ENGINE_PORT
        yield ScrapeTarget(
            "engine",
            "-".join(part for part in (variant, "groups" if groups else "") if part),
            resolved.name,
            workload.id,
            {**selector, **_FIRST} if groups else selector,
            _OF_GROUPS if groups else _NAME,
            port,
            _authority(resolved) if resolved.tls else None,
        )


def _authority(resolved: Resolved) -> Authority:
    """Prometheus calls pods by their address, which no certificate is for; so it is told the name to expect."""
    host, _ = names.in_cluster_hosts(names.workload_service(resolved.name), resolved.namespace)
    return Authority(names.certificate_secret(resolved.name), _AUTHORITY, host)
