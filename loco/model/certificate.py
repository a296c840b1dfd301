"""Serving certificates that a plan asks for, and who else is to trust them."""

import hashlib
import json
from dataclasses import dataclass

from loco.model.manifest import ManifestId

_SHOWN = 8  # hexadecimal characters: a service has a handful of editions in its life


@dataclass(frozen=True, slots=True)
class Certificate:
    """A key pair for the Secret ``secret``, valid for ``dns_names``, and the authority that signs it.

    Both are made where secrets may be handled, and kept there for as long as their editions stay the same.

    Attributes:
        rotation: the stack's ``rotation.certificates``; another text asks for another authority and key.
    """

    secret: ManifestId
    dns_names: tuple[str, ...]
    organization: str
    rotation: str | None = None

    @property
    def authority_edition(self) -> str:
        """Names the authority: the same through changes of the DNS names, so whoever trusts it needs no new start."""
        return _edition(self.rotation)

    @property
    def edition(self) -> str:
        """Names the certificate: another one for other DNS names, and for another authority."""
        return _edition(self.rotation, *sorted(self.dns_names))


@dataclass(frozen=True, slots=True)
class TrustedAuthority:
    """``key`` of the ConfigMap ``config_map`` holds the authority of the certificate in ``secret``; no secret itself.

    Attributes:
        reader: whose pods read it when they start, so that another authority starts new ones.
    """

    config_map: ManifestId
    key: str
    secret: ManifestId
    reader: ManifestId


def _edition(*parts: str | None) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_SHOWN]
