"""The shared nouns of loco: what every room may speak of, and nothing that does anything."""

from loco.model.certificate import Certificate, TrustedAuthority
from loco.model.credential import CredentialUse
from loco.model.edge import Edge
from loco.model.finding import Finding, Refused, errors_of
from loco.model.manifest import Manifest, ManifestId, Wait
from loco.model.origin import Origin
from loco.model.parts import Parts
from loco.model.scrape_target import Authority, ScrapeTarget
from loco.model.secret_value import SecretValue
from loco.model.served_model import ServedModel

__all__ = [
    "Authority",
    "Certificate",
    "CredentialUse",
    "Edge",
    "Finding",
    "Manifest",
    "ManifestId",
    "Origin",
    "Parts",
    "Refused",
    "ScrapeTarget",
    "SecretValue",
    "ServedModel",
    "TrustedAuthority",
    "Wait",
    "errors_of",
]
