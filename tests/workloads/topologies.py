"""Specs of the topologies, for tests: one node or several, with prefill apart or not."""

from typing import Any

from loco.plan import Plan
from tests.plan.stacks import one

SPREAD = {"data": 4, "dataLocal": 2}
MAIN, PREFILL = "chat-kserve", "chat-kserve-prefill"
GROUPS, PREFILL_GROUPS = "chat-kserve-mn", "chat-kserve-mn-prefill"
SIDECAR = "llm-d-routing-sidecar"


def engine(gpus: int = 0, **fields: Any) -> dict[str, Any]:
    """A pod with the preset's engine, which asks for so many GPUs."""
    resources = {"resources": {"limits": {"nvidia.com/gpu": gpus}}} if gpus else {}
    return {"containers": [{"name": "main", **resources, **fields}]}


def several_nodes(**more: Any) -> dict[str, Any]:
    """A workload whose replica is two pods."""
    return {"parallelism": dict(SPREAD), "worker": {}, **more}


# Every topology, with the names of its workload objects.
TOPOLOGIES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "single": ({}, {MAIN: "Deployment"}),
    "multi": (several_nodes(), {GROUPS: "LeaderWorkerSet"}),
    "single-single": ({"prefill": {}}, {MAIN: "Deployment", PREFILL: "Deployment"}),
    "multi-multi": (
        several_nodes(prefill=several_nodes()),
        {GROUPS: "LeaderWorkerSet", PREFILL_GROUPS: "LeaderWorkerSet"},
    ),
    "single-multi": ({"prefill": several_nodes()}, {MAIN: "Deployment", PREFILL_GROUPS: "LeaderWorkerSet"}),
    "multi-single": (several_nodes(prefill={}), {GROUPS: "LeaderWorkerSet", PREFILL: "Deployment"}),
}


def templates(plan: Plan, name: str) -> dict[str, Any]:
    """The pod templates of a workload object: ``pod`` of a Deployment, ``leader`` and ``worker`` of the other."""
    (workload,) = (m for m in plan.manifests if m.name == name and m.id.kind in ("Deployment", "LeaderWorkerSet"))
    if workload.id.kind == "Deployment":
        return {"pod": workload.data["spec"]["template"]}
    group = workload.data["spec"]["leaderWorkerTemplate"]
    return {key: group[f"{key}Template"] for key in ("leader", "worker") if f"{key}Template" in group}


def main_of(template: dict[str, Any]) -> dict[str, Any]:
    """The engine of a pod template."""
    (found,) = (container for container in template["spec"]["containers"] if container["name"] == "main")
    return dict(found)


def sidecar_in(template: dict[str, Any]) -> dict[str, Any]:
    """The routing sidecar of a pod template."""
    (found,) = (container for container in template["spec"]["initContainers"] if container["name"] == SIDECAR)
    return dict(found)


def groups(plan: Plan, name: str = GROUPS) -> dict[str, Any]:
    """The spec of a LeaderWorkerSet."""
    spec: dict[str, Any] = one(plan, "LeaderWorkerSet", name).data["spec"]
    return spec
