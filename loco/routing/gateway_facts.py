"""What the platform says of the Gateways that a route is bound to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loco.layers import Resolved
from loco.spec import Platform
from loco.spec.platform_gateway import KnownGateway

# On a Gateway "false" opts out; a service's own spec must say "true", as presets do.
BY_MODEL = "serving.kserve.io/model-based-routing-enabled"


def known_gateways(platform: Platform) -> Iterator[tuple[str, KnownGateway]]:
    """All Gateways of which there are facts, each with its place in the stack config."""
    if platform.gateway is not None:
        yield "platform.gateway", platform.gateway
    for index, fact in enumerate(platform.gateways or []):
        yield f"platform.gateways[{index}]", fact


def fact_of(parent: Mapping[str, Any], namespace: str, platform: Platform) -> KnownGateway | None:
    """The facts of the Gateway that a route of a namespace names; those of a nameless one serve for any."""
    known = [fact for _, fact in known_gateways(platform)]
    named = (fact for fact in known if is_gateway(parent, namespace, fact))
    return next(named, None) or next((fact for fact in known if fact.name is None), None)


def is_gateway(parent: Mapping[str, Any], namespace: str, fact: KnownGateway) -> bool:
    """Whether a parent of a route of this namespace is this Gateway; without a namespace it is one of the route's."""
    if parent.get("kind", "Gateway") != "Gateway" or fact.name is None or parent.get("name") != fact.name:
        return False
    return (parent.get("namespace") or namespace) == (fact.namespace or namespace)


def routes_by_model(resolved: Resolved, platform: Platform, parents: Iterable[Mapping[str, Any]]) -> bool:
    """Whether requests are routed by the header that names their model: as stack, service and Gateways agree."""
    mode = platform.routes.model_based_routing
    if mode == "disabled" or (resolved.spec.annotations or {}).get(BY_MODEL) != "true":
        return False
    facts = (fact_of(parent, resolved.namespace, platform) for parent in parents)
    return mode == "forced" or not any(fact is not None and _opts_out(fact) for fact in facts)


def _opts_out(fact: KnownGateway) -> bool:
    made = (fact.create.annotations if fact.create is not None else None) or {}
    return fact.model_based_routing is False or made.get(BY_MODEL) == "false"
