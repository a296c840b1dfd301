"""Many layers to one resolved spec: which presets apply, the strategic merge, templates, provenance."""

from loco.layers.bases import check_presets
from loco.layers.catalog import Profile
from loco.layers.go_template import check_expressions
from loco.layers.merge import merge_specs
from loco.layers.plain_documents import Layered, layer
from loco.layers.resolve import AppliedConfig, Resolved, enabled, resolve

__all__ = [
    "AppliedConfig",
    "Layered",
    "Profile",
    "Resolved",
    "check_expressions",
    "check_presets",
    "enabled",
    "layer",
    "merge_specs",
    "resolve",
]
