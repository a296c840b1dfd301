"""Tensor parallelism against the GPUs that the engine asks for (cases V1 and V4)."""

from typing import Any

import pytest

from tests.plan.stacks import found, plan_of, service
from tests.workloads.topologies import engine


def with_gpus(tensor: int, limits: dict[str, Any]) -> Any:
    template = {"containers": [{"name": "main", "resources": {"limits": limits}}]}
    return plan_of(service({"parallelism": {"tensor": tensor}, "replicas": 2, "template": template}))


@pytest.mark.parametrize("profile_limits", [{"nvidia.com/gpu": 1}, {"nvidia.com/gpu": "3"}, {"amd.com/gpu": 2}])
def test_more_ranks_than_gpus_is_an_error_with_both_figures(profile_limits: dict[str, Any]) -> None:
    (error,) = with_gpus(4, profile_limits).errors
    assert (error.code, error.path, error.value) == ("LOCO-VALUE", "spec.parallelism.tensor", 4)
    assert "over 4 GPUs" in error.message
    assert f"asks for {int(next(iter(profile_limits.values())))}" in error.message


@pytest.mark.parametrize("limits", [{"nvidia.com/gpu": 4}, {"nvidia.com/gpu": 8}, {"cpu": "8"}, {}])
def test_enough_or_none_at_all_is_well(limits: dict[str, Any]) -> None:
    assert with_gpus(4, limits).errors == ()


# Parallelism, GPUs of leader and worker; where the finding points, its figures, and the pods that it names.
SPREAD: list[tuple[dict[str, int], int, int, str | None, str, list[str]]] = [
    ({"data": 1, "dataLocal": 1, "tensor": 2}, 1, 2, "tensor", "over 2 GPUs", ["template"]),
    ({"data": 4, "dataLocal": 2, "tensor": 2}, 4, 4, None, "", []),
    ({"data": 4, "dataLocal": 2, "tensor": 2}, 2, 4, "tensor", "tensor 2 × dataLocal 2 = 4 GPUs", ["template"]),
    ({"data": 4, "dataLocal": 2, "tensor": 2}, 2, 2, "tensor", "asks for 2", ["template", "worker"]),
    ({"data": 16, "dataLocal": 8}, 8, 4, "dataLocal", "dataLocal 8 = 8 GPUs", ["worker"]),
    ({"data": 16, "dataLocal": 8}, 0, 0, None, "", []),
    ({"pipeline": 2, "tensor": 4}, 4, 4, None, "", []),
    ({"pipeline": 2, "tensor": 4}, 4, 2, "tensor", "over 4 GPUs", ["worker"]),
]


@pytest.mark.parametrize(("parallelism", "leader", "worker", "field", "says", "pods"), SPREAD)
@pytest.mark.parametrize("side", [(), ("prefill",)])
def test_gpus_of_every_pod_of_a_group(
    parallelism: dict[str, int], leader: int, worker: int, field: str | None, says: str, pods: list[str], side: Any
) -> None:
    workload = {"parallelism": parallelism, "template": engine(leader), "worker": engine(worker), "replicas": 2}
    errors = plan_of(service({"prefill": workload, "template": engine(leader)} if side else workload)).errors
    assert [error.path for error in errors] == [".".join(("spec", *side, "parallelism", str(field))) for _ in pods]
    for error, pod in zip(errors, pods, strict=True):
        assert says in error.message
        assert ".".join(("spec", *side, pod)) in error.message


def test_flags_that_no_engine_gets_are_told() -> None:
    """A preset knows tensor parallelism and experts of groups; a command of the user's own knows nothing."""
    single = plan_of(service({"parallelism": {"expert": True}}))
    assert [warning.path for warning in found(single, "LOCO-NO-EFFECT")] == ["spec.parallelism.expert"]
    group = {"parallelism": {"data": 4, "dataLocal": 2, "expert": True, "tensor": 2}, "worker": {}}
    assert {finding.code for finding in plan_of(service(group)).findings} == {"LOCO-ACCELERATOR"}
    own = {"containers": [{"name": "main", "command": ["serve"]}]}
    assert not found(plan_of(service({**group, "worker": own})), "LOCO-NO-EFFECT")
    router = {"scheduler": {}}
    both = plan_of(service({"router": router, "prefill": {**group, "template": own, "worker": own}}))
    paths = [warning.path for warning in found(both, "LOCO-NO-EFFECT")]
    assert paths == ["spec.prefill.parallelism.tensor", "spec.prefill.parallelism.expert"]
    assert not plan_of(service({"parallelism": {"expert": False}})).findings
