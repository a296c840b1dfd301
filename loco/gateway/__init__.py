"""The LiteLLM gateway: its config, its credentials, its manifests."""

from loco.gateway.build import Gateway, build_gateway
from loco.gateway.external import External

__all__ = ["External", "Gateway", "build_gateway"]
