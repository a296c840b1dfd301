"""What planning gives: plain data, which components transcribe and the command line shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.gateway import Gateway, Observability
from loco.layers import Resolved
from loco.model import (
    Certificate,
    CredentialUse,
    Edge,
    Finding,
    Manifest,
    SecretValue,
    TrustedAuthority,
    errors_of,
)
from loco.spec import GATEWAY, SERVICE
from loco.workloads import is_stopped


@dataclass(frozen=True, slots=True)
class Plan:
    """What a stack should be.

    Attributes:
        manifests: in an order that respects the edges.
        edges: which object comes before which.
        credential_uses: which pods read which Secret keys.
        secret_values: what the plan's Secrets are to hold, by where it comes from.
        certificates: key pairs to be made.
        authorities: whose certificates the gateways' pods are to trust.
        findings: errors refuse the plan; warnings go along.
        outputs: plain values for other projects; no secret among them.
        resolved: each service's merged spec with the origin of every leaf.
        gateways: the LiteLLM gateways.
        observability: how the stack is watched; None where it isn't.
    """

    manifests: tuple[Manifest, ...]
    edges: tuple[Edge, ...]
    credential_uses: tuple[CredentialUse, ...]
    secret_values: tuple[SecretValue, ...]
    certificates: tuple[Certificate, ...]
    authorities: tuple[TrustedAuthority, ...]
    findings: tuple[Finding, ...]
    outputs: Mapping[str, Any]
    resolved: tuple[Resolved, ...]
    gateways: tuple[Gateway, ...]
    observability: Observability | None = None

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that refuse it."""
        return errors_of(self.findings)

    @property
    def running(self) -> Mapping[str, bool]:
        """Every service and gateway, as ``Kind/namespace/name``: whether it is to run, or is stopped."""
        services = {names.owner(SERVICE, s.namespace, s.name): not is_stopped(s) for s in self.resolved}
        return services | {names.owner(GATEWAY, g.namespace, g.name): g.spec.replicas != 0 for g in self.gateways}
