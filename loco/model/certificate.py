"""A serving certificate that a plan asks for."""

from dataclasses import dataclass

from loco.model.manifest import ManifestId


@dataclass(frozen=True, slots=True)
class Certificate:
    """A key pair for the Secret ``secret``, valid for ``dns_names``; made where secrets may be handled."""

    secret: ManifestId
    dns_names: tuple[str, ...]
    organization: str
