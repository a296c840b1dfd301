"""The platform's Prometheus, for whoever is scraped by it and whoever asks it."""

from typing import Literal

from pydantic import Field, model_validator

from loco.spec.base import Spec
from loco.spec.peer import Peer
from loco.spec.texts import HTTPURL, ObjectName


class Monitoring(Spec):
    """Where metrics are read, and by whom they are collected."""

    prometheus: HTTPURL | None = Field(None, description="Where KEDA asks for the variant autoscaler's metric.")
    tls_insecure_skip_verify: bool = Field(False, description="KEDA doesn't check Prometheus' certificate.")
    auth_modes: str | None = Field(None, description="How KEDA signs in to Prometheus, such as bearer.")
    trigger_auth_name: ObjectName | None = Field(None, description="The TriggerAuthentication with what it needs.")
    trigger_auth_kind: Literal["TriggerAuthentication", "ClusterTriggerAuthentication"] | None = None
    peers: list[Peer] | None = Field(None, description="Who scrapes metrics of engines and endpoint pickers.")

    @model_validator(mode="after")
    def _both_or_neither(self) -> "Monitoring":
        if (self.auth_modes is None) is not (self.trigger_auth_name is None):
            raise ValueError("authModes and triggerAuthName go together")
        if self.trigger_auth_kind is not None and self.trigger_auth_name is None:
            raise ValueError("triggerAuthKind goes with triggerAuthName")
        return self
