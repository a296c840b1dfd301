"""Pods or addresses that a NetworkPolicy lets in, as the stack config names them."""

from collections.abc import Iterable
from ipaddress import ip_network
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from loco.spec.base import Spec
from loco.spec.texts import NAMESPACE_RULE, Labels, is_namespace

_NAMESPACE = "kubernetes.io/metadata.name"  # a label of every Namespace


def _namespace(value: str) -> str:
    if not is_namespace(value):
        raise ValueError(NAMESPACE_RULE)
    return value


def range_such_as(network: str, host: str) -> AfterValidator:
    """Of text: a range of addresses, as the two examples are."""

    def check(value: str) -> str:
        try:
            ip_network(value)
        except ValueError:
            raise ValueError(f"a range of addresses such as {network}, without host bits") from None
        if "/" not in value:
            raise ValueError(f"a range of addresses ends in its length, such as {host}")
        return value

    return AfterValidator(check)


class Peer(Spec):
    """Pods of one namespace, all of them or those with some labels; or addresses outside the cluster's pods."""

    namespace: Annotated[str, AfterValidator(_namespace)] | None = Field(None, description="Where the pods run.")
    pod_labels: Labels | None = Field(None, description="Only pods with these labels.")
    cidr: Annotated[str, range_such_as("10.0.0.0/8", "10.0.0.1/32")] | None = Field(
        None, description="A range of addresses, such as those of a load balancer's health checks."
    )

    @model_validator(mode="after")
    def _one_kind(self) -> "Peer":
        if (self.namespace is None) is (self.cidr is None):
            raise ValueError("exactly one of namespace: NAME or cidr: RANGE")
        if self.pod_labels is not None and self.namespace is None:
            raise ValueError("podLabels goes with the namespace of the pods")
        return self

    def as_rule(self) -> dict[str, Any]:
        """The same as a member of a NetworkPolicy's ``from``."""
        if self.cidr is not None:
            return {"ipBlock": {"cidr": self.cidr}}
        selected: dict[str, Any] = {"namespaceSelector": {"matchLabels": {_NAMESPACE: self.namespace}}}
        if self.pod_labels:
            selected["podSelector"] = {"matchLabels": dict(self.pod_labels)}
        return selected


def rules_of(peers: Iterable[Peer]) -> list[dict[str, Any]]:
    """Members of a NetworkPolicy's ``from`` or ``to``, each once."""
    return list({repr(rule): rule for rule in (peer.as_rule() for peer in peers)}.values())
