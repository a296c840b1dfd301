"""How pods are replaced: GPUs, spare GPUs, replicas and a written strategy."""

from typing import Any

import pytest

from loco.pods.reading import amount
from loco.workloads.rollout import gpus_of
from tests.plan.stacks import found, one, plan_of, planned, service

SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
IN_PLACE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def spec_of(gpus: object, replicas: int | None, **more: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {**more}
    if gpus:
        resources = {"limits": {"nvidia.com/gpu": gpus}}
        spec["template"] = {"containers": [{"name": "main", "resources": resources}]}
    if replicas is not None:
        spec["replicas"] = replicas
    return spec


@pytest.mark.parametrize(
    ("gpus", "spare", "replicas", "expected", "gap"),
    [
        (0, 0, 1, None, False),
        (0, 8, 2, None, False),
        (1, 0, 1, IN_PLACE, True),
        (1, 0, None, IN_PLACE, True),
        (1, 0, 0, IN_PLACE, False),
        (1, 0, 2, IN_PLACE, False),
        (1, 1, 1, SURGE, False),
        (1, 1, None, SURGE, False),
        (8, 7, 1, IN_PLACE, True),
        (8, 7, 3, IN_PLACE, False),
        (8, 8, 3, SURGE, False),
        ("8", 8, 1, SURGE, False),
        ("8", 7, 1, IN_PLACE, True),
        ("8000m", 7, 1, IN_PLACE, True),
        (2.0, 1, 1, IN_PLACE, True),
    ],
)
def test_spare_gpus_decide(
    gpus: object, spare: int, replicas: int | None, expected: dict[str, Any] | None, gap: bool
) -> None:
    plan = planned(spec_of(gpus, replicas), platform={"spareGpus": spare})
    assert one(plan, "Deployment").data["spec"].get("strategy") == expected
    assert bool(found(plan, "LOCO-ROLLOUT-GAP", "warning")) is gap
    reference = planned(spec_of(gpus, replicas), platform={"spareGpus": spare}, profile="kserve")
    assert "strategy" not in one(reference, "Deployment").data["spec"]
    assert not found(reference, "LOCO-ROLLOUT-GAP")


@pytest.mark.parametrize(
    "written",
    [{"maxSurge": 2}, {"maxUnavailable": "50%"}, {"maxSurge": 0, "maxUnavailable": 1}, {"maxSurge": "100%"}],
)
@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("gpus", [0, 4])
def test_written_strategy_is_taken_as_it_is(written: dict[str, Any], profile: str, gpus: int) -> None:
    plan = planned(spec_of(gpus, 1, rolloutStrategy=written), profile=profile, platform={"spareGpus": 0})
    assert one(plan, "Deployment").data["spec"]["strategy"] == {"type": "RollingUpdate", "rollingUpdate": written}
    surges = profile == "safe" and gpus > 0 and written.get("maxSurge") != 0
    assert not found(plan, "LOCO-ROLLOUT-GAP")
    assert len(found(plan, "LOCO-ROLLOUT-SURGE")) == surges


def test_empty_strategy_is_no_strategy() -> None:
    plan = planned(spec_of(1, 2, rolloutStrategy={}), platform={"spareGpus": 1})
    assert one(plan, "Deployment").data["spec"]["strategy"] == SURGE


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ({"maxSurge": 0, "maxUnavailable": 0}, None),
        ({"maxSurge": "0%", "maxUnavailable": 0}, None),
        ({"maxSurge": -1}, "maxSurge"),
        ({"maxSurge": "1"}, "maxSurge"),
        ({"maxSurge": "half"}, "maxSurge"),
        ({"maxUnavailable": "101%"}, "maxUnavailable"),
        ({"maxSurge": "101%"}, "maxSurge"),
    ],
)
def test_strategy_that_kubernetes_refuses_is_an_error(written: dict[str, Any], key: str | None) -> None:
    (error,) = plan_of(service({"rolloutStrategy": written})).errors
    assert error.path == "spec.rolloutStrategy" + (f".{key}" if key else "")


def limits(**amounts: object) -> dict[str, Any]:
    return {
        "resources": {"limits": {name.replace("__", "/").replace("_", "."): much for name, much in amounts.items()}}
    }


@pytest.mark.parametrize(
    ("pod", "gpus"),
    [
        ({}, 0),
        ({"containers": [{}]}, 0),
        ({"containers": [{"resources": {"limits": {"cpu": 8, "memory": "8Gi", "gpu": 1}}}]}, 0),
        ({"containers": [limits(nvidia_com__gpu=2), limits(nvidia_com__gpu="1")]}, 3),
        ({"containers": [{"resources": {"requests": {"amd.com/gpu": 2}, "limits": {"amd.com/gpu": 2}}}]}, 2),
        ({"containers": [{"resources": {"requests": {"amd.com/gpu": 2}}}]}, 2),
        ({"containers": [{"resources": {"limits": {"nvidia.com/mig-1g.5gb": 2, "nvidia.com/gpu.shared": 1}}}]}, 3),
        ({"containers": [{"resources": {"limits": {"gpu.intel.com/i915": 1, "habana.ai/gaudi": 8}}}]}, 9),
        ({"containers": [{"resources": {"limits": {"nvidia.com/gpumem": 3000, "rdma/ib": 1, "x.y/gpucores": 5}}}]}, 0),
        ({"containers": [limits(nvidia_com__gpu=1)], "initContainers": [limits(nvidia_com__gpu=1)]}, 1),
        ({"containers": [limits(nvidia_com__gpu=1)], "initContainers": [limits(nvidia_com__gpu=4)]}, 4),
        (
            {
                "containers": [limits(nvidia_com__gpu=1)],
                "initContainers": [{**limits(nvidia_com__gpu=1), "restartPolicy": "Always"}],
            },
            2,
        ),
    ],
)
def test_gpus_of_a_pod(pod: dict[str, Any], gpus: int) -> None:
    assert gpus_of(pod) == gpus


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        (2, 2),
        ("2", 2),
        (0.5, 0.5),
        ("500m", 0.5),
        ("1k", 1000),
        ("1Ki", 1024),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1E", 10**18),
        ("1Ei", 2**60),
        (".5", 0.5),
        ("5.", 5),
        ("+1", 1),
        ("-1", -1),
        ("1n", 1e-9),
        ("1e999999999", 10**30),
    ],
)
def test_amounts(quantity: object, number: float) -> None:
    assert float(amount(quantity)) == float(number)


KEDA = {"keda": {"triggers": [{"type": "cpu", "metadata": {"value": "70"}}]}}

# The spec, and what the warning says with its cure; nothing where there is none.
GAPS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "one": (spec_of(1, 1), ("needs 1 GPU and", "the only pod stops", "spareGpus: 1", "replicas: 2")),
    "of eight": (spec_of(8, 1), ("needs 8 GPUs and", "the only pod stops")),
    "two": (spec_of(1, 2), ()),
    "unknown": (spec_of(1, None), ("if there is one pod only", "replicas: 2, or as many from whoever scales it")),
    "scaled": (spec_of(1, None, scaling={"maxReplicas": 3, **KEDA}), ("where the autoscaler", "minReplicas: 2")),
    "scaled from one": (
        spec_of(1, None, scaling={"minReplicas": 1, "maxReplicas": 3, **KEDA}),
        ("where the autoscaler", "minReplicas: 2"),
    ),
    "scaled from two": (spec_of(1, None, scaling={"minReplicas": 2, "maxReplicas": 3, **KEDA}), ()),
}


@pytest.mark.parametrize("case", GAPS)
def test_a_gap_is_told_by_what_is_known_of_the_count(case: str) -> None:
    spec, words = GAPS[case]
    gaps = found(planned(spec), "LOCO-ROLLOUT-GAP")
    assert len(gaps) == bool(words)
    for gap in gaps:
        text = f"{gap.message}; {gap.cure}"
        assert [word for word in words if word not in text] == []
        assert ("minReplicas" in text) is case.startswith("scaled")
        assert "1 GPUs" not in text


@pytest.mark.parametrize("strategy", [{}, {"rolloutStrategy": {"maxSurge": 1}}])
def test_a_stopped_service_and_one_without_pods_roll_nothing(strategy: dict[str, Any]) -> None:
    codes = {"LOCO-ROLLOUT-GAP", "LOCO-ROLLOUT-SURGE"}
    running = plan_of(service(spec_of(1, 1, **strategy)))
    assert {finding.code for finding in running.findings} & codes
    stopped = plan_of(service(spec_of(1, 1, **strategy), annotations={"serving.kserve.io/stop": "true"}))
    assert not {finding.code for finding in stopped.findings} & codes
    assert not {finding.code for finding in planned(spec_of(1, 0, **strategy)).findings} & codes
