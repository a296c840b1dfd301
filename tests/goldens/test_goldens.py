"""Published and own inputs, as the real KServe controller made objects of them, and as loco does under profile kserve.

Both sides are compared after a real API server has filled in its defaults: ours by a server-side dry run.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from tests.goldens.comparison import UNRECORDED_KINDS, comparable, differences, listed
from tests.goldens.objects import dry_run
from tests.presets.stand_in import StandIn

AGREEING = (
    "dp-mn",
    "dp-mn.tls",
    "dra",
    "full-router-gwrefs",
    "kv",
    "merge-keyed",
    "minimal",
    "minimal.tls",
    "oci",
    "oci-native",
    "pd",
    "pd-mn",
    "rollout",
    "route-only",
    "sample-agentic-tool-calling-llmisvc-single-gpu",
    "sample-agentic-tool-calling-nemotron-3-ultra-pd",
    "sample-dp-ep-rd-dp-ep-deepseek-r1-gpu-deepep-ht",
    "sample-dp-ep-rd-dp-ep-deepseek-r1-gpu-naive",
    "sample-dp-ep-rd-dp-ep-deepseek-r1-pd-gpu-p-deepep-ht-d-deepep-ht",
    "sample-dp-ep-rd-dp-ep-deepseek-r1-pd-gpu-p-deepep-ht-d-pplx",
    "sample-gptoss-pd-disagg",
    "sample-lora-adapters-01-lora-hf-cpu",
    "sample-lora-adapters-02-lora-multi-hf-cpu",
    "sample-lora-adapters-04-lora-pvc-cpu",
    "sample-managed-dra-managed-dra-minimal",
    "sample-managed-dra-managed-dra-multi-device",
    "sample-multi-gpu-vendor-qwen2-7b-amd-no-scheduler",
    "sample-multi-gpu-vendor-qwen2-7b-nvidia-with-scheduler",
    "sample-opt-125m-cpu-facebook-opt-125m-cpu",
    "sample-opt-125m-cpu-facebook-opt-125m-cpu-no-scheduler",
    "sample-opt-125m-cpu-pd-facebook-opt-125m-cpu",
    "sample-precise-prefix-kv-cache-routing-opt-125m-cpu-kv-cache-routing-simulator",
    "sample-precise-prefix-kv-cache-routing-qwen2-7b-gpu-kv-cache-routing",
    "sample-single-node-gpu-pd-qwen2-7b-gpu",
    "sample-single-node-gpu-qwen2-7b-gpu",
    "sample-single-node-gpu-qwen2-7b-gpu-no-scheduler",
    "scaling-hpa",
    "scaling-keda",
    "sched-inline",
    "sched-inline.tls",
    "sched-only",
    "stop",
    "storage-off",
    "tracing",
)
# Refused by both, or by loco alone, where the reference loses in silence what its user wrote.
REFUSED = {
    "missing-base": ("LOCO-REFERENCE", "spec.baseRefs[0].name"),
    "sample-kv-cache-offloading-kv-cache-offloading": ("LOCO-UNKNOWN-KEY", "spec.workload"),
    "sample-latency-predictor-latency-predictor": ("LOCO-TYPE", "spec.router.scheduler.config.inline"),
}
# Refused by the reference, for a preset that it never shipped and for base configs that leave a part to the presets.
OURS_ALONE = ("pipeline", "sample-gptoss-default", "sample-gptoss-prefix-cache")
ELSEWHERE = ("Gateway",)  # not applied by either


def planned(shared: Path, golden: str) -> tuple[Plan, dict[str, Any]]:
    """The plan of an input, all in the namespace that it was recorded in, on the platform of the recording."""
    expected = json.loads((shared / "goldens" / golden / "expected.json").read_text())
    namespace = expected["namespace"]
    text = (shared / "goldens" / golden / "input.yaml").read_text()
    documents = [document for document in yaml.safe_load_all(text) if document]
    for document in documents:
        if document["kind"] not in ELSEWHERE:
            document["metadata"].pop("namespace", None)
    platform = {"tls": golden.endswith(".tls"), "monitoring": {"prometheus": "http://prometheus.monitoring:9090"}}
    config = {"profile": "kserve", "namespace": namespace, "platform": platform, "cluster": {"context": "recorded"}}
    return plan_stack(read_stack(shared, config, documents=documents)), expected


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return StandIn(tmp_path_factory.mktemp("stand-in"))


def disagreements(shared: Path, cluster: Cluster, stand_in: StandIn, golden: str) -> list[tuple[str, str, Any, Any]]:
    plan, expected = planned(shared, golden)
    assert not plan.errors, [str(finding) for finding in plan.errors]
    ours = {
        (made["kind"], made["metadata"]["name"]): comparable(stand_in.with_runs(made))
        # What stands in the input as it is, such as an account, was there before the controller.
        for made in dry_run(cluster, [dict(manifest.data) for manifest in plan.manifests if manifest.component])
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


def test_every_golden_has_its_place(shared: Path) -> None:
    recorded = {path.name for path in (shared / "goldens").iterdir() if path.is_dir()}
    assert recorded == {*AGREEING, *REFUSED, *OURS_ALONE}


@pytest.mark.parametrize("golden", sorted(REFUSED))
def test_refused_with_the_place(golden: str, shared: Path) -> None:
    plan, _ = planned(shared, golden)
    assert [(finding.code, finding.path) for finding in plan.errors] == [REFUSED[golden]]


@pytest.mark.parametrize("golden", OURS_ALONE)
def test_works_where_the_reference_does_not(golden: str, shared: Path) -> None:
    plan, expected = planned(shared, golden)
    assert expected["objects"] == []
    assert not plan.errors, [str(finding) for finding in plan.errors]
    assert plan.manifests


@pytest.mark.parametrize("golden", AGREEING)
def test_applied_presets_and_base_configs(golden: str, shared: Path) -> None:
    plan, expected = planned(shared, golden)
    recorded = {status["name"]: status["appliedConfigs"] for status in expected["status"]}
    for service in plan.resolved:
        reference = [(config["name"].removeprefix("kserve-"), config["source"]) for config in recorded[service.name]]
        assert [(config.name, config.source) for config in service.applied] == reference
    assert {service.name for service in plan.resolved} == set(recorded)
