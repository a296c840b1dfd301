"""How a LiteLLM gateway is reached from outside of the cluster."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from loco.spec.base import Spec, misplaced
from loco.spec.texts import Annotations, DNSLabel, Hostname, ObjectName

_MOST_HOSTNAMES = 16  # of one HTTPRoute, as the Gateway API has it


class ExposingGateway(Spec):
    """A Gateway of the Gateway API; its place in ``parentRefs``."""

    name: ObjectName
    namespace: DNSLabel | None = Field(None, description="By default the LiteLLM gateway's own.")
    section_name: ObjectName | None = Field(None, description="One of its listeners; by default all.")


class ExposingIngress(Spec):
    """An Ingress in place of a route."""

    class_name: ObjectName
    tls_secret: ObjectName | None = Field(None, description="Secret of type kubernetes.io/tls for the hostnames.")
    annotations: Annotations | None = Field(None, description="Over those that keep streamed answers from ending.")


class Exposure(Spec):
    """Hostnames, and by which means; by default an HTTPRoute on the platform's Gateway."""

    hostnames: Annotated[list[Hostname], Field(min_length=1, max_length=_MOST_HOSTNAMES)]
    gateway: ExposingGateway | None = None
    ingress: ExposingIngress | None = None
    scheme: Literal["http", "https"] | None = Field(
        None, description="How clients call the hostnames, for externalURLs; by default as the listener serves them."
    )

    @model_validator(mode="after")
    def _one_way(self) -> "Exposure":
        if self.gateway is not None and self.ingress is not None:
            raise misplaced("gateway or ingress, not both", "ingress")
        if len(set(self.hostnames)) < len(self.hostnames):
            raise misplaced("each hostname once", "hostnames")
        return self
