"""A resolved spec to the manifests that run it."""

from loco.workloads.build import build_workloads, pod_places
from loco.workloads.companions import companions
from loco.workloads.consumed import CONSUMED
from loco.workloads.network_policy import network_policies
from loco.workloads.scrape_targets import engine_targets
from loco.workloads.stopped import is_stopped

__all__ = [
    "CONSUMED",
    "build_workloads",
    "companions",
    "engine_targets",
    "is_stopped",
    "network_policies",
    "pod_places",
]
