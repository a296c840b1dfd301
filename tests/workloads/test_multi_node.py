"""LeaderWorkerSets: groups of pods, their size, their rolls, and what the API takes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.plan.stacks import found, one, plan_of, planned, service
from tests.workloads.topologies import GROUPS, PREFILL_GROUPS, TOPOLOGIES, engine, groups, several_nodes, templates


@pytest.mark.parametrize(
    ("parallelism", "size"),
    [
        ({"data": 16, "dataLocal": 8}, 2),
        ({"data": 8, "dataLocal": 8}, 1),
        ({"data": 8, "dataLocal": 1, "tensor": 4}, 8),
        ({"pipeline": 4}, 4),
        ({"pipeline": 1}, 1),
    ],
)
def test_group_has_as_many_pods_as_its_ranks_or_stages_need(parallelism: dict[str, int], size: int) -> None:
    plan = planned({"parallelism": parallelism, "worker": {}})
    assert groups(plan)["leaderWorkerTemplate"]["size"] == size


@pytest.mark.parametrize("parallelism", [{"data": 9, "dataLocal": 4}, {"data": 1, "dataLocal": 2}])
def test_ranks_that_fill_no_pod_are_refused_and_not_lost(parallelism: dict[str, int]) -> None:
    errors = plan_of(service({"parallelism": parallelism, "worker": {}})).errors
    assert [error.path for error in errors] == ["spec.parallelism.data"]


def test_what_every_group_has() -> None:
    spec = groups(planned(several_nodes()))
    assert spec["startupPolicy"] == "LeaderCreated"
    assert spec["rolloutStrategy"] == {"type": "RollingUpdate"}
    assert spec["leaderWorkerTemplate"]["restartPolicy"] == "RecreateGroupOnPodRestart"


def test_sub_groups_are_for_data_parallel_prefill() -> None:
    both = planned(several_nodes(prefill=several_nodes()))
    assert "subGroupPolicy" not in groups(both)["leaderWorkerTemplate"]
    expected = {"subGroupPolicyType": "LeaderWorker", "subGroupSize": 2}
    assert groups(both, PREFILL_GROUPS)["leaderWorkerTemplate"]["subGroupPolicy"] == expected
    staged = planned({"prefill": {"parallelism": {"pipeline": 2}, "worker": {}}})
    assert "subGroupPolicy" not in groups(staged, PREFILL_GROUPS)["leaderWorkerTemplate"]


def test_what_the_api_holds_immutable_is_replaced() -> None:
    replaced = ("spec.leaderWorkerTemplate.size", "spec.leaderWorkerTemplate.subGroupPolicy")
    assert one(planned(several_nodes()), "LeaderWorkerSet").replace_on == replaced


def test_amounts_are_text_as_the_api_stores_them() -> None:
    amounts = {"cpu": 4, "memory": "8Gi", "nvidia.com/gpu": 2}
    pod = {"containers": [{"name": "main", "resources": {"limits": amounts, "requests": amounts}}]}
    plan = planned(several_nodes(template=pod, worker=pod), platform={"spareGpus": 4})
    for template in templates(plan, GROUPS).values():
        text = {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "2"}
        assert template["spec"]["containers"][0]["resources"] == {"limits": text, "requests": text}


def test_start_up_budget_is_the_leaders() -> None:
    spec = several_nodes(template=engine(startupProbe={"failureThreshold": 100}))
    assert one(planned(spec), "LeaderWorkerSet").wait.timeout_seconds == 100 * 10 + 600


def test_group_without_a_leader_of_its_own_serves_by_its_workers() -> None:
    pod = {"containers": [{"name": "main", "image": "x", "command": ["serve"]}]}
    spec = {
        "parallelism": {"pipeline": 2},
        "worker": pod,
        "template": {"containers": [{"$patch": "replace"}]},
        "router": {"scheduler": {}},
    }
    plan = planned(spec)
    made = templates(plan, GROUPS)
    assert made.keys() == {"worker"}
    labels = made["worker"]["metadata"]["labels"]
    assert (labels["kserve.io/component"], labels["llm-d.ai/role"]) == ("workload", "decode")
    assert not found(plan, "LOCO-SELECTOR")


# GPUs of leader and worker, spare ones, replicas; the update, and whether there is a gap.
ROLLS: list[tuple[int, int, int, int | None, dict[str, int] | None, bool]] = [
    (0, 0, 0, 1, None, False),
    (8, 8, 0, 1, {"maxSurge": 0, "maxUnavailable": 1}, True),
    (8, 8, 0, 2, {"maxSurge": 0, "maxUnavailable": 1}, False),
    (8, 8, 31, None, {"maxSurge": 0, "maxUnavailable": 1}, True),
    (8, 8, 32, 1, {"maxSurge": 1, "maxUnavailable": 0}, False),
    (2, 8, 26, 1, {"maxSurge": 1, "maxUnavailable": 0}, False),
    (2, 8, 25, 1, {"maxSurge": 0, "maxUnavailable": 1}, True),
]


@pytest.mark.parametrize(("leader", "worker", "spare", "replicas", "update", "gap"), ROLLS)
def test_spare_gpus_of_a_whole_group_decide(
    leader: int, worker: int, spare: int, replicas: int | None, update: dict[str, int] | None, gap: bool
) -> None:
    spec = {
        "parallelism": {"data": 4, "dataLocal": 1},
        "template": engine(leader),
        "worker": engine(worker),
        **({"replicas": replicas} if replicas is not None else {}),
    }
    plan = planned(spec, platform={"spareGpus": spare})
    assert groups(plan)["rolloutStrategy"].get("rollingUpdateConfiguration") == update
    warnings = found(plan, "LOCO-ROLLOUT-GAP")
    assert [warning.path for warning in warnings] == (["spec.rolloutStrategy"] if gap else [])
    assert all(f"needs {leader + 3 * worker} GPUs" in warning.message for warning in warnings)
    reference = planned(spec, platform={"spareGpus": spare}, profile="kserve")
    assert groups(reference)["rolloutStrategy"] == {"type": "RollingUpdate"}


@pytest.mark.parametrize(
    ("written", "update"),
    [
        ({"maxSurge": 2}, {"maxUnavailable": 1, "maxSurge": 2}),
        ({"maxUnavailable": "50%"}, {"maxUnavailable": "50%", "maxSurge": 0}),
        ({"maxUnavailable": 0, "maxSurge": 1}, {"maxUnavailable": 0, "maxSurge": 1}),
    ],
)
@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("side", ["", "prefill"])
def test_written_strategy_is_completed_by_the_apis_defaults(
    written: dict[str, Any], update: dict[str, Any], profile: str, side: str
) -> None:
    workload = several_nodes(rolloutStrategy=written, template=engine(8), worker=engine(8))
    plan = planned({"prefill": workload, "template": engine(1)} if side else workload, profile=profile)
    spec = groups(plan, PREFILL_GROUPS if side else GROUPS)
    assert spec["rolloutStrategy"]["rollingUpdateConfiguration"] == update
    assert not [gap for gap in found(plan, "LOCO-ROLLOUT-GAP") if gap.path.startswith(f"spec.{side}")]


def test_gap_of_prefill_points_at_prefill() -> None:
    plan = planned({"prefill": {"template": engine(4)}, "template": engine(4), "replicas": 2})
    assert [warning.path for warning in found(plan, "LOCO-ROLLOUT-GAP")] == ["spec.prefill.rolloutStrategy"]


@pytest.fixture(scope="module")
def schema(shared: Path) -> dict[str, Any]:
    """The schema of a LeaderWorkerSet, of which unknown fields are refused as the API server does."""
    definitions = shared / "crds/leaderworkerset.yaml"
    if not definitions.is_file():
        pytest.skip("the definition of LeaderWorkerSet is not there")
    for document in yaml.safe_load_all(definitions.read_text(encoding="utf-8")):
        if document and document["kind"] == "CustomResourceDefinition":
            (version,) = (v for v in document["spec"]["versions"] if v["name"] == "v1")
            closed(version["schema"]["openAPIV3Schema"]["properties"]["spec"])
            return dict(version["schema"]["openAPIV3Schema"])
    raise AssertionError("no definition in the file")


def closed(part: dict[str, Any]) -> None:
    if part.pop("x-kubernetes-int-or-string", False):
        part.pop("type", None)
        part["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if "properties" in part and "additionalProperties" not in part:
        part["additionalProperties"] = False
    for below in [*part.get("properties", {}).values(), part.get("items"), part.get("additionalProperties")]:
        if isinstance(below, dict):
            closed(below)


def grouped() -> Iterator[dict[str, Any]]:
    yield from (spec for spec, kinds in TOPOLOGIES.values() if "LeaderWorkerSet" in kinds.values())
    yield {"parallelism": {"pipeline": 2}, "worker": {}, "replicas": 2, "rolloutStrategy": {"maxSurge": "50%"}}
    yield several_nodes(template=engine(8), worker=engine(8))


@pytest.mark.parametrize("spec", list(grouped()), ids=str)
@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("tls", [False, True])
def test_every_one_fits_the_apis_schema(schema: dict[str, Any], spec: dict[str, Any], profile: str, tls: bool) -> None:
    plan = planned(spec, profile=profile, platform={"tls": tls})
    sets = [manifest for manifest in plan.manifests if manifest.id.kind == "LeaderWorkerSet"]
    assert sets
    for manifest in sets:
        jsonschema.Draft202012Validator(schema).validate(dict(manifest.data))


def test_the_schema_refuses_what_is_wrong(schema: dict[str, Any]) -> None:
    manifest = one(planned(several_nodes()), "LeaderWorkerSet").data
    manifest["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["spec"]["imagePullSecret"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(dict(manifest))
