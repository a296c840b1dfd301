"""Cures of parallelism name what the spec's own GPUs say."""

from typing import Any

import pytest

from tests.plan.stacks import plan_of, service
from tests.workloads.topologies import engine

EIGHT = "{containers: [{name: main, resources: {limits: {nvidia.com/gpu: 8}}}]}"


def cures(spec: dict[str, Any]) -> dict[str, str]:
    return {error.path: error.cure for error in plan_of(service(spec)).errors}


@pytest.mark.parametrize("side", ["", "prefill."])
@pytest.mark.parametrize(
    ("template", "worker"), [(engine(8), EIGHT), (engine(0), "{}"), ({"containers": [{"name": "other"}]}, "{}")]
)
def test_a_worker_is_as_large_as_the_template(template: dict[str, Any], worker: str, side: str) -> None:
    workload = {"parallelism": {"data": 16, "dataLocal": 8}, "template": template}
    found = cures({"prefill": workload, "template": engine(1)} if side else workload)
    assert found[f"spec.{side}parallelism.data"].startswith(f"worker: {worker} beside it")
    assert found[f"spec.{side}parallelism.dataLocal"].startswith(f"worker: {worker} beside it")


def test_the_cure_is_accepted() -> None:
    spec = {"parallelism": {"data": 16, "dataLocal": 8}, "template": engine(8), "worker": engine(8)}
    assert cures(spec) == {}


@pytest.mark.parametrize(
    ("gpus", "tensor", "data", "cure"),
    [
        (8, None, 16, "dataLocal: 8, which the 8 GPUs of a pod hold"),
        (8, 1, 16, "dataLocal: 8, which the 8 GPUs of a pod hold with tensor 1"),
        (8, 4, 16, "dataLocal: 2, which the 8 GPUs of a pod hold with tensor 4"),
        (8, None, 2, "dataLocal: 2, which"),
        (8, None, 12, "dataLocal: 12, or less"),
        (0, None, 16, "dataLocal: 16, or less"),
        (1, 2, 16, "dataLocal: 16, or less"),
    ],
)
@pytest.mark.parametrize("side", ["", "prefill."])
def test_ranks_of_a_pod_follow_from_its_gpus(gpus: int, tensor: int | None, data: int, cure: str, side: str) -> None:
    parallelism = {"data": data, **({"tensor": tensor} if tensor else {})}
    workload = {"parallelism": parallelism, "template": engine(gpus), "worker": engine(gpus)}
    found = cures({"prefill": workload, "template": engine(1)} if side else workload)
    assert found[f"spec.{side}parallelism.dataLocal"].startswith(cure)


@pytest.mark.parametrize("limits", [{"nvidia.com/gpu": "x"}, {"nvidia.com/gpu": None}, {"nvidia.com/gpu": True}, []])
def test_odd_limits_are_no_count(limits: Any) -> None:
    template = {"containers": [{"name": "main", "resources": {"limits": limits}}]}
    assert plan_of(service({"parallelism": {"data": 16}, "template": template, "worker": {}})).errors
