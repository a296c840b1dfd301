"""Where endpoint pickers serve their metrics."""

from collections.abc import Iterable, Iterator

from loco import names
from loco.layers import Resolved
from loco.model import Manifest, ScrapeTarget
from loco.model.pod_templates import pod_templates

_METRICS = "metrics"
_NAME = "app.kubernetes.io/name"


def picker_targets(resolved: Resolved, manifests: Iterable[Manifest]) -> Iterator[ScrapeTarget]:
    """The service's endpoint picker, if it has one with a port called metrics. Its metrics are plain HTTP also with TLS.

    The picker asks the Kubernetes API who scrapes, and whether that account may read ``/metrics``.
    """
    for manifest in manifests:
        if (manifest.id.kind, manifest.name) != ("Deployment", names.picker(resolved.name)):
            continue
        selector = manifest.data["spec"]["selector"]["matchLabels"]
        for _, template in pod_templates(manifest.data):
            ports = [port for each in template["spec"]["containers"] for port in each.get("ports") or []]
            for number in [port["containerPort"] for port in ports if port.get("name") == _METRICS][:1]:
                yield ScrapeTarget(
                    "picker", "", resolved.name, manifest.id, dict(selector), _NAME, number, authenticated=True
                )
