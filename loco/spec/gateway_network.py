"""How a LiteLLM gateway stands in the network: its Service, and whom its pods may call."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from loco.spec.base import Spec, misplaced
from loco.spec.gateway_pod import MoreAnnotations, MoreLabels
from loco.spec.peer import Peer, range_such_as
from loco.spec.platform_gateway import Port
from loco.spec.texts import is_qualified


def _class(value: str) -> str:
    if not is_qualified(value):
        raise ValueError("the name of a class such as service.k8s.aws/nlb")
    return value


AddressRange = Annotated[str, range_such_as("203.0.113.0/24", "203.0.113.7/32")]


class GatewayService(Spec):
    """The Service in front of the pods; ClusterIP by default."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] | None = None
    labels: MoreLabels | None = None
    annotations: MoreAnnotations | None = None
    load_balancer_class: Annotated[str, AfterValidator(_class)] | None = None
    load_balancer_source_ranges: Annotated[list[AddressRange], Field(min_length=1)] | None = None
    external_traffic_policy: Literal["Cluster", "Local"] | None = None

    @model_validator(mode="after")
    def _of_the_type(self) -> "GatewayService":
        balanced = {
            "loadBalancerClass": self.load_balancer_class,
            "loadBalancerSourceRanges": self.load_balancer_source_ranges,
        }
        if self.type != "LoadBalancer" and (written := [key for key, value in balanced.items() if value is not None]):
            raise misplaced(f"type: LoadBalancer, to which {' and '.join(written)} belong", written[0])
        if self.type in (None, "ClusterIP") and self.external_traffic_policy is not None:
            cure = "type: LoadBalancer or NodePort, to which externalTrafficPolicy belongs"
            raise misplaced(cure, "externalTrafficPolicy")
        return self


class Destination(Spec):
    """Somebody whom the pods may call."""

    peers: Annotated[list[Peer], Field(min_length=1)]
    ports: Annotated[list[Port], Field(min_length=1)] | None = Field(
        None, description="TCP ports of the pods, which may differ from those of a Service before them; by default all."
    )


def _cluster_dns() -> list[Peer]:
    return [Peer.model_validate({"namespace": "kube-system", "podLabels": {"k8s-app": "kube-dns"}})]


class Egress(Spec):
    """A NetworkPolicy for what the pods call: names, models, and what is written here; nothing else."""

    dns: Annotated[list[Peer], Field(min_length=1)] = Field(
        default_factory=_cluster_dns, description="Who answers for names; by default kube-dns in kube-system."
    )
    external: Annotated[list[AddressRange], Field(min_length=1)] | None = Field(
        None, description="Addresses of models elsewhere; by default all but private ones."
    )
    database: Destination | None = Field(None, description="Where the database runs; at port 5432 by default.")
    redis: Destination | None = Field(None, description="Where Redis runs, unless redis.host tells.")
    others: Annotated[list[Destination], Field(min_length=1)] | None = None
