"""Published and own inputs, as the real KServe controller made objects of them, and as loco does under profile kserve.

Both sides are compared after a real API server has filled in its defaults: ours by a server-side dry run.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from dev.cluster import Cluster
from loco.plan import Plan, plan_stack
from loco.spec import read_files
from tests.goldens.comparison import UNRECORDED_KINDS, comparable, differences, listed
from tests.goldens.objects import dry_run
from tests.presets.stand_in import StandIn

AGREEING = (
    "minimal",
    "minimal.tls",
    "rollout",
    "storage-off",
    "merge-keyed",
    "stop",
    "route-only",
    "sched-only",
    "full-router-gwrefs",
    "sample-single-node-gpu-qwen2-7b-gpu",
    "sample-single-node-gpu-qwen2-7b-gpu-no-scheduler",
    "sample-opt-125m-cpu-facebook-opt-125m-cpu",
    "sample-opt-125m-cpu-facebook-opt-125m-cpu-no-scheduler",
)
REFUSED = {"missing-base": ("LOCO-REFERENCE", "spec.baseRefs[0].name")}


def planned(shared: Path, golden: str) -> tuple[Plan, dict[str, Any]]:
    expected = json.loads((shared / "goldens" / golden / "expected.json").read_text())
    config = {"profile": "kserve", "platform": {"tls": golden.endswith(".tls")}}
    spec = read_files([shared / "goldens" / golden / "input.yaml"], expected["namespace"], config)
    return plan_stack(spec), expected


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return StandIn(tmp_path_factory.mktemp("stand-in"))


def disagreements(shared: Path, cluster: Cluster, stand_in: StandIn, golden: str) -> list[tuple[str, str, Any, Any]]:
    plan, expected = planned(shared, golden)
    assert not plan.errors, [str(finding) for finding in plan.errors]
    ours = {
        (made["kind"], made["metadata"]["name"]): comparable(stand_in.with_runs(made))
        for made in dry_run(cluster, [dict(manifest.data) for manifest in plan.manifests])
        if made["kind"] not in UNRECORDED_KINDS
    }
    recorded = {(o["kind"], o["metadata"]["name"]): comparable(o) for o in expected["objects"]}
    found = []
    for key in sorted(recorded.keys() | ours.keys()):
        for path, theirs, mine in differences(recorded.get(key, {}), ours.get(key, {})):
            found.append(("/".join(key), path, theirs, mine))
    return found


@pytest.mark.e2e
@pytest.mark.parametrize("golden", AGREEING)
def test_agrees_but_for_listed_differences(golden: str, shared: Path, cluster: Cluster, stand_in: StandIn) -> None:
    unlisted = [
        f"{name} {path}: recorded {theirs!r}, ours {mine!r}"
        for name, path, theirs, mine in disagreements(shared, cluster, stand_in, golden)
        if not any(difference.covers(golden, name, path) for difference in listed())
    ]
    assert unlisted == []


@pytest.mark.e2e
def test_every_listed_difference_is_there(shared: Path, cluster: Cluster, stand_in: StandIn) -> None:
    found = {golden: disagreements(shared, cluster, stand_in, golden) for golden in AGREEING}
    unused = [
        difference.id
        for difference in listed()
        if not any(
            difference.covers(golden, name, path) for golden, places in found.items() for name, path, _, _ in places
        )
    ]
    assert unused == []


@pytest.mark.parametrize("golden", sorted(REFUSED))
def test_refused_like_the_reference(golden: str, shared: Path) -> None:
    plan, expected = planned(shared, golden)
    assert expected["objects"] == []
    code, path = REFUSED[golden]
    assert [(finding.code, finding.path) for finding in plan.errors] == [(code, path)]


@pytest.mark.parametrize("golden", AGREEING)
def test_applied_presets_and_base_configs(golden: str, shared: Path) -> None:
    plan, expected = planned(shared, golden)
    (service,) = plan.resolved
    (status,) = expected["status"]
    reference = [(config["name"].removeprefix("kserve-"), config["source"]) for config in status["appliedConfigs"]]
    assert [(config.name, config.source) for config in service.applied] == reference
