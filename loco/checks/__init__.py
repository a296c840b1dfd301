"""Findings across objects; what concerns one room alone, that room says itself."""

from loco.checks.cluster import check_cluster
from loco.checks.manifests import check_manifests
from loco.checks.uniqueness import check_unique

__all__ = ["check_cluster", "check_manifests", "check_unique"]
