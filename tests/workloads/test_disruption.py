"""PodDisruptionBudgets: one for each workload, of exactly its pods, that a single pod doesn't block."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import one, plan_of, planned, service
from tests.workloads.connections import pods_of

GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
GROUPS = {"worker": GPU, "template": GPU, "parallelism": {"data": 2, "dataLocal": 1}}


def covered(plan: Plan) -> dict[str, list[str]]:
    """By budget, the pods of the plan that it selects."""
    budgets = [manifest for manifest in plan.manifests if manifest.id.kind == "PodDisruptionBudget"]
    pods = list(pods_of(plan.manifests))
    return {
        budget.name: [
            pod.name
            for pod in pods
            if pod.namespace == budget.namespace
            and budget.data["spec"]["selector"]["matchLabels"].items() <= pod.labels.items()
        ]
        for budget in budgets
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, {"chat-kserve": ["chat-kserve"]}),
        ({"replicas": 1}, {"chat-kserve": ["chat-kserve"]}),
        ({"labels": {"team": "a"}}, {"chat-kserve": ["chat-kserve"]}),
        ({"router": {"scheduler": {}, "route": {}}}, {"chat-kserve": ["chat-kserve"]}),
        (
            {"prefill": {}, "router": {"scheduler": {}, "route": {}}},
            {"chat-kserve": ["chat-kserve"], "chat-kserve-prefill": ["chat-kserve-prefill"]},
        ),
        (GROUPS, {"chat-kserve-mn": ["chat-kserve-mn/leader", "chat-kserve-mn/worker"]}),
        (
            {**GROUPS, "prefill": GROUPS},
            {
                "chat-kserve-mn": ["chat-kserve-mn/leader", "chat-kserve-mn/worker"],
                "chat-kserve-mn-prefill": ["chat-kserve-mn-prefill/leader", "chat-kserve-mn-prefill/worker"],
            },
        ),
    ],
)
def test_each_budget_covers_the_pods_of_one_workload(spec: dict[str, Any], expected: dict[str, list[str]]) -> None:
    platform = {"gateway": {"name": "shared", "namespace": "infra", "peers": [{"namespace": "envoy"}]}}
    other = service({}, "other")  # whose pods no budget of chat's may cover
    plan = plan_of(service(spec), other, platform=platform)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    assert covered(plan) == {**expected, "other-kserve": ["other-kserve"]}
    for manifest in plan.manifests:
        if manifest.id.kind == "PodDisruptionBudget":
            assert manifest.data["spec"]["maxUnavailable"] == 1
            assert "minAvailable" not in manifest.data["spec"]
            assert manifest.data["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
    assert covered(plan_of(service(spec), other, platform=platform, profile="kserve")) == {}


def test_a_stopped_service_has_none() -> None:
    assert covered(plan_of(service({}, annotations={"serving.kserve.io/stop": "true"}))) == {}


def test_it_belongs_to_the_service() -> None:
    plan = planned({})
    assert one(plan, "PodDisruptionBudget").component == one(plan, "Deployment").component
