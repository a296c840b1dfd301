"""The LiteLLM gateway: its config, its credentials, its manifests, and how a stack is watched."""

from loco.gateway.build import build_gateways
from loco.gateway.credentials import credential_secrets
from loco.gateway.documents import CONSUMED, External, Gateway, Observability
from loco.gateway.exposure import expose_gateways
from loco.gateway.external_urls import exposed_urls
from loco.gateway.observability import chosen, is_watched, own_documents, watch

__all__ = [
    "CONSUMED",
    "External",
    "Gateway",
    "Observability",
    "build_gateways",
    "chosen",
    "credential_secrets",
    "expose_gateways",
    "exposed_urls",
    "is_watched",
    "own_documents",
    "watch",
]
