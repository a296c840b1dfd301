"""A resolved spec to the manifests that run it."""

from loco.workloads.build import build_workloads

__all__ = ["build_workloads"]
