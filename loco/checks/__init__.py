"""Findings across objects; what concerns one room alone, that room says itself."""

from loco.checks.base_configs import check_base_configs
from loco.checks.cluster import check_cluster
from loco.checks.credentials import check_credentials
from loco.checks.follow_ons import without_follow_ons
from loco.checks.gateway_pods import check_gateway_pods
from loco.checks.manifests import check_manifests
from loco.checks.metadata import check_metadata
from loco.checks.other_models import check_other_models
from loco.checks.rotation import check_rotation
from loco.checks.selectors import check_selectors
from loco.checks.shadowing import check_shadowing
from loco.checks.shared_claims import check_shared_claims
from loco.checks.uniqueness import check_unique
from loco.checks.unsupported import CONSUMED_OF, unsupported

__all__ = [
    "CONSUMED_OF",
    "check_base_configs",
    "check_cluster",
    "check_credentials",
    "check_gateway_pods",
    "check_manifests",
    "check_metadata",
    "check_other_models",
    "check_rotation",
    "check_selectors",
    "check_shadowing",
    "check_shared_claims",
    "check_unique",
    "unsupported",
    "without_follow_ons",
]
