"""Tensor parallelism against the GPUs that the engine asks for (cases V1 and V4)."""

from typing import Any

import pytest

from tests.plan.stacks import plan_of, service


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
