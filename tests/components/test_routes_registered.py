"""Gateways, grants and routes as the engine is told of them: their tokens, and in which order they change."""

from collections.abc import Callable
from typing import Any

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.recorder import Registration, record

PLATFORM = {"gateway": {"name": "ours", "namespace": "edge", "create": {"className": "envoy"}}}
API = "kubernetes:gateway.networking.k8s.io"


def with_adapters(count: int) -> dict[str, Any]:
    lora = {"adapters": [{"name": f"a{n}", "uri": "hf://a/b"} for n in range(count)]}
    spec = {"model": {"uri": "hf://a/b", "name": "m", "lora": lora}, "router": {"route": {}}, "replicas": 1}
    metadata = {"name": "chat", "namespace": "llm"}
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": metadata,
        "spec": spec,
    }


def test_a_route_waits_for_its_gateway_and_for_routes_of_higher_numbers(make_stack: Callable[..., StackSpec]) -> None:
    spec = make_stack(with_adapters(40), platform=PLATFORM)
    found = record(lambda: ModelServingStack("loco", spec))
    (gateway,) = (each for each in found if each.token == f"{API}/v1:Gateway")
    routes = [each for each in found if each.token == f"{API}/v1:HTTPRoute"]
    assert len(routes) == 5
    assert routes[-1].urn_suffix.endswith("chat-kserve-route")
    higher: Registration | None = None
    for route in routes:
        waits = set(route.request.dependencies)
        assert any(urn.endswith(gateway.urn_suffix) for urn in waits)
        assert higher is None or any(urn.endswith(higher.urn_suffix) for urn in waits)
        higher = route
