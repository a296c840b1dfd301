"""What a watched stack counts on in a cluster."""

from loco.cli.cluster.need import Kind
from loco.cli.cluster.needs import needs_of
from tests.gateway.observability.stacks import wide

GROUP = "monitoring.coreos.com"


def test_the_operators_kinds() -> None:
    kinds = {need.what for need in needs_of(wide().manifests) if isinstance(need.what, Kind)}
    wanted = {Kind(GROUP, "v1", kind) for kind in ("PodMonitor", "ServiceMonitor", "PrometheusRule")}
    assert wanted <= kinds


def test_secrets_of_monitors_are_the_plans_own() -> None:
    assert not [need for need in needs_of(wide().manifests) if "observability" in str(need.what)]
