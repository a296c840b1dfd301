"""Findings across objects; what concerns one room alone, that room says itself."""

from loco.checks.cluster import check_cluster
from loco.checks.credentials import check_credentials
from loco.checks.manifests import check_manifests
from loco.checks.metadata import check_metadata
from loco.checks.selectors import check_selectors
from loco.checks.uniqueness import check_unique
from loco.checks.unsupported import CONSUMED_OF, unsupported

__all__ = [
    "CONSUMED_OF",
    "check_cluster",
    "check_credentials",
    "check_manifests",
    "check_metadata",
    "check_selectors",
    "check_unique",
    "unsupported",
]
