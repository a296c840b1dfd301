"""The examples of topologies are complete: they are accepted as they stand, and without a word."""

import re

import pytest
import yaml

from loco.plan import Plan
from tests.conftest import REPOSITORY
from tests.plan.stacks import plan_of

PAGE = (REPOSITORY / "docs/topologies.md").read_text("utf-8")
EXAMPLES = {
    document["metadata"]["name"]: document
    for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for document in yaml.safe_load_all(block)
    if "metadata" in document  # the others are parts, or of the stack's config
}
PLATFORM = {
    "gateway": {
        "name": "shared",
        "namespace": "infra",
        "url": "https://llm.example.com",
        "internalURL": "http://gw",
        "peers": [{"namespace": "infra"}],
    }
}
MADE = {
    "apart": {"Deployment": {"apart-kserve": 2, "apart-kserve-prefill": 2}},
    "ranks": {"LeaderWorkerSet": {"ranks-kserve-mn": 16}},
    "stages": {"LeaderWorkerSet": {"stages-kserve-mn": 16}},
}


def gpus(plan: Plan, kind: str, name: str) -> int:
    """Of all pods of one replica."""
    (data,) = (m.data for m in plan.manifests if (m.id.kind, m.name) == (kind, name))
    if kind == "Deployment":
        pods = [data["spec"]["template"]]
    else:
        group = data["spec"]["leaderWorkerTemplate"]
        pods = [group["leaderTemplate"], *[group["workerTemplate"]] * (group["size"] - 1)]
    return sum(
        int(container.get("resources", {}).get("limits", {}).get("nvidia.com/gpu", 0))
        for pod in pods
        for container in pod["spec"]["containers"]
    )


@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("name", MADE)
def test_an_example_is_accepted_and_makes_what_it_says(name: str, profile: str) -> None:
    plan = plan_of(EXAMPLES[name], platform=PLATFORM, profile=profile)
    assert [str(finding) for finding in plan.findings] == []
    for kind, objects in MADE[name].items():
        assert {each: gpus(plan, kind, each) for each in objects} == objects


def test_every_example_is_tried() -> None:
    assert EXAMPLES.keys() == MADE.keys()
