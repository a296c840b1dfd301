"""What a room hands to the planner."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from loco.model.certificate import Certificate, TrustedAuthority
from loco.model.credential import CredentialUse
from loco.model.edge import Edge
from loco.model.finding import Finding
from loco.model.manifest import Manifest
from loco.model.secret_value import SecretValue


@dataclass(slots=True)
class Parts:
    """Manifests, their order, what they read, and what there is to say about them."""

    manifests: list[Manifest] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    credential_uses: list[CredentialUse] = field(default_factory=list)
    secret_values: list[SecretValue] = field(default_factory=list)
    certificates: list[Certificate] = field(default_factory=list)
    authorities: list[TrustedAuthority] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, others: Iterable["Parts"]) -> None:
        """Takes over all that the others hold, in order."""
        for other in others:
            self.manifests += other.manifests
            self.edges += other.edges
            self.credential_uses += other.credential_uses
            self.secret_values += other.secret_values
            self.certificates += other.certificates
            self.authorities += other.authorities
            self.findings += other.findings
