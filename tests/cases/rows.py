"""The reports about emitted objects that have a test here, and how a test says which it is about."""

from collections.abc import Callable
from typing import Any, TypeVar

from loco.model import Manifest
from loco.plan import Plan
from tests.plan.stacks import one

# Tables C, D and E of the reports about LLMInferenceService.
SERVICE_ROWS = [
    *(f"C{number}" for number in range(16, 26)),
    *(f"D{number}" for number in range(26, 33)),
    *(f"E{number}" for number in (*range(34, 43),)),
]
# Of what users of other systems reported; V9 and V13 are about LiteLLM gateways, V1 to V4 about parallelism and merging.
PEER_ROWS = ["V5", "V6", "V7", "V8", "V10", "V11", "V12", "V14", "V15", "V16", "V17", "V18"]
# Those of the same kinds without a number, by repository and issue.
SPARES = [
    *("llm-d-deployer#11", "llm-d-model-service#72", "kserve#4807", "ome#419"),  # names
    *("llm-d-model-service#55", "kserve#4980", "kserve#6056", "aibrix#1086", "vllm#37942"),  # references
    *("kserve#5527", "LLMKube#1881", "production-stack#679"),  # autoscaling
    *("kubeai#433", "kubeai#286"),  # pull secrets, storage
    *("LLMKube#192", "airunway#400", "opendatahub-kserve#999", "kserve#5096"),  # rollouts
    *("opendatahub-kserve#1595", "vllm#37982", "production-stack#899", "production-stack#923"),  # security, memory
    *("production-stack#653", "dynamo#14490", "gateway-api-inference-extension#550"),  # order, probes
    *("llm-d-modelservice#184", "llm-d-modelservice#182", "Vexa#1100"),  # devices, disruption
]
# What surprised in the reference: its networking, workloads and stateful behaviour.
TRAPS = [f"T{number}" for number in range(16, 37)]
ROWS = [*SERVICE_ROWS, *PEER_ROWS, *SPARES, *TRAPS]

PLATFORM = {
    "gateway": {
        "name": "shared",
        "namespace": "infra",
        "url": "https://llm.example.com",
        "internalURL": "http://gateway.infra.svc",
        "peers": [{"namespace": "envoy"}],
    },
    "monitoring": {"peers": [{"namespace": "monitoring"}], "prometheus": "http://prometheus:9090"},
}
ROUTED = {"router": {"route": {}, "scheduler": {}}}

TOLD: dict[str, list[str]] = {}  # by row, the tests about it
Test = TypeVar("Test", bound=Callable[..., Any])


def about(*rows: str) -> Callable[[Test], Test]:
    """Marks a test as one about these rows."""

    def mark(test: Test) -> Test:
        for row in rows:
            TOLD.setdefault(row, []).append(test.__name__)
        return test

    return mark


def engine(*args: str, gpus: int = 0, **fields: Any) -> dict[str, Any]:
    """The template of an engine with arguments, GPUs and other fields of its container."""
    resources = {"resources": {"limits": {"nvidia.com/gpu": gpus}}} if gpus else {}
    arguments = {"args": list(args)} if args else {}
    return {"containers": [{"name": "main", **arguments, **resources, **fields}]}


def spec_of(plan: Plan, kind: str, name: str | None = None) -> dict[str, Any]:
    """The spec of the plan's only object of a kind, or of a kind and name."""
    spec: dict[str, Any] = one(plan, kind, name).data["spec"]
    return spec


def of_kind(plan: Plan, *kinds: str) -> list[Manifest]:
    """The plan's objects of some kinds."""
    return [manifest for manifest in plan.manifests if manifest.id.kind in kinds]
