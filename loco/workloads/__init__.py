"""A resolved spec to the manifests that run it."""

from loco.workloads.build import build_workloads, is_stopped
from loco.workloads.consumed import CONSUMED

__all__ = ["CONSUMED", "build_workloads", "is_stopped"]
