"""How requests reach a service: HTTPRoute, InferencePool, endpoint picker, addresses."""

from loco.routing.addresses import Address, addresses_of, served_model
from loco.routing.build import build_routing
from loco.routing.consumed import CONSUMED
from loco.routing.managed_gateway import managed_gateways
from loco.routing.reference_grant import reference_grants
from loco.routing.scrape_targets import picker_targets
from loco.routing.traffic_group import members_of, served

__all__ = [
    "CONSUMED",
    "Address",
    "addresses_of",
    "build_routing",
    "managed_gateways",
    "members_of",
    "picker_targets",
    "reference_grants",
    "served",
    "served_model",
]
