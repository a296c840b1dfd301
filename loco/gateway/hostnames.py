"""Hostnames that two gateways of the stack would both take all requests to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loco.gateway.documents import Gateway
from loco.model import Finding, Manifest
from loco.spec.tree import Path

_CANARY = "nginx.ingress.kubernetes.io/canary"


def shared_hostnames(exposed: Sequence[tuple[Gateway, Manifest]]) -> list[Finding]:
    """``LOCO-DUPLICATE`` for a hostname that an earlier gateway has at the same front door.

    That is a listener of one Gateway, or one Ingress class. Both routes take every path, so the one that is older on
    the cluster gets all requests. ingress-nginx shares them out where one of two is its canary.

    Args:
        exposed: each gateway with its HTTPRoute or Ingress.
    """
    findings = []
    for number, (gateway, made) in enumerate(exposed):
        for index, host in enumerate(gateway.spec.expose.hostnames if gateway.spec.expose else []):
            taken = next((other for other, own in _with(exposed[:number], host) if _one_door(own, made)), None)
            if taken is None:
                continue
            message = f"{taken.subject} takes all requests to {host} there too; only one of the two is reached"
            cure = "another hostname in one of the two, or another Gateway, listener or Ingress class"
            path: Path = ("expose", "hostnames", index)
            findings.append(gateway.finding(path, message, cure, host, code="LOCO-DUPLICATE"))
    return findings


def _with(exposed: Sequence[tuple[Gateway, Manifest]], host: str) -> Iterator[tuple[Gateway, Manifest]]:
    return ((other, own) for other, own in exposed if other.spec.expose and host in other.spec.expose.hostnames)


def _one_door(first: Manifest, second: Manifest) -> bool:
    if first.id.kind != second.id.kind:
        return False
    if first.id.kind == "Ingress":
        classes = {made.data["spec"]["ingressClassName"] for made in (first, second)}
        return len(classes) == 1 and not any(_is_canary(made) for made in (first, second))
    [one], [other] = (made.data["spec"]["parentRefs"] for made in (first, second))
    listeners = {parent["sectionName"] for parent in (one, other) if "sectionName" in parent}
    # A route that names no listener is bound to all of them.
    return _where(first, one) == _where(second, other) and len(listeners) < 2


def _where(route: Manifest, parent: Mapping[str, Any]) -> tuple[str, str]:
    return parent.get("namespace") or route.namespace, parent["name"]


def _is_canary(ingress: Manifest) -> bool:
    annotations = ingress.data["metadata"].get("annotations") or {}
    return bool(annotations.get(_CANARY) == "true")
