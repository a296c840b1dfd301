"""The stacks that are measured: so many models of one shape."""

from pathlib import Path
from typing import Any

from loco.layers import Resolved, resolve
from loco.spec import read_stack
from loco.spec.stack import StackSpec

GATEWAY = {"name": "shared", "namespace": "infra", "internalURL": "http://gateway.infra.svc"}
_MAIN: dict[str, Any] = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": 2}, "requests": {"cpu": "8"}}}
_ROUTED: dict[str, Any] = {
    "replicas": 2,
    "parallelism": {"tensor": 2},
    "template": {"containers": [{**_MAIN, "args": ["--max-model-len", "8192"]}]},
    "router": {"route": {}, "gateway": {}, "scheduler": {}},
}
_DISAGGREGATED: dict[str, Any] = {
    **_ROUTED,
    "prefill": {"replicas": 2, "parallelism": {"tensor": 2}, "template": {"containers": [_MAIN]}},
}

# A shape, and the presets that it must get: a figure for another service would be no figure for this one.
ROUTED, DISAGGREGATED = "route, gateway, scheduler", "the same with prefill/decode"
SHAPES: dict[str, tuple[dict[str, Any], frozenset[str]]] = {
    ROUTED: (
        _ROUTED,
        frozenset({"config-llm-scheduler", "config-llm-router-route", "config-llm-template"}),
    ),
    DISAGGREGATED: (
        _DISAGGREGATED,
        frozenset(
            {
                "config-llm-scheduler",
                "config-llm-router-route",
                "config-llm-prefill-template",
                "config-llm-decode-template",
            }
        ),
    ),
}


def stack_of(shape: str, count: int) -> StackSpec:
    """A stack of so many models, read and without findings."""
    spec, _ = SHAPES[shape]
    documents = [
        {
            "apiVersion": "serving.kserve.io/v1alpha2",
            "kind": "LLMInferenceService",
            "metadata": {"name": f"model-{number}"},
            "spec": {"model": {"uri": f"hf://org/model-{number}"}, **spec},
        }
        for number in range(count)
    ]
    config = {"files": [], "namespace": "llm", "cluster": {"context": "bench"}, "platform": {"gateway": GATEWAY}}
    stack = read_stack(Path("/nonexistent"), config, documents=documents)
    assert not stack.findings, stack.findings[0]
    return stack


def resolve_all(stack: StackSpec) -> list[Resolved]:
    """Every model's presets chosen, layers merged, templates expanded and the result checked."""
    resolved = []
    for document in stack.documents:
        service, findings = resolve(document, stack)
        if service is None:
            raise ValueError("; ".join(map(str, findings)))
        resolved.append(service)
    return resolved


def refusal(shape: str) -> str | None:
    """Why a shape can't be measured: it doesn't resolve, or gets other presets than it should."""
    stack = stack_of(shape, 1)
    service, findings = resolve(stack.documents[0], stack)
    if service is None:
        return "; ".join(map(str, findings))
    missing = SHAPES[shape][1] - {config.name for config in service.applied}
    return f"it doesn't get {', '.join(sorted(missing))}" if missing else None
