"""The LiteLLM gateway: its config, its credentials, its manifests."""

from loco.gateway.build import build_gateways
from loco.gateway.credentials import credential_secrets
from loco.gateway.documents import CONSUMED, External, Gateway
from loco.gateway.exposure import expose_gateways, exposed_urls

__all__ = ["CONSUMED", "External", "Gateway", "build_gateways", "credential_secrets", "expose_gateways", "exposed_urls"]
