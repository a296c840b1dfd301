"""What our engines finally get, against what the recorded ones got."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.plan.stacks import plan_of
from tests.presets.stand_in import StandIn

# Recorded with KServe's own controller: the argument list of each container that starts vLLM.
RECORDED = json.loads((Path(__file__).parent / "recorded_runs.json").read_text("utf-8"))


@pytest.mark.parametrize("case", sorted(RECORDED))
def test_engines_get_what_kserve_gives_them(stand_in: StandIn, case: str) -> None:
    recorded = RECORDED[case]
    plan = plan_of(
        *yaml.safe_load_all(recorded["input"]),
        profile="kserve",
        namespace=recorded["namespace"],
        platform={"tls": case.endswith(".tls")},
    )
    assert not plan.errors
    ours = {
        f"{manifest.id.kind}/{manifest.name}/{name}": runs
        for manifest in plan.manifests
        for name, runs in _runs(stand_in.with_runs(manifest.data))
    }
    assert ours == recorded["runs"]


def _runs(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict):
        if "runs" in value:
            yield value["name"], value["runs"]
        for item in value.values():
            yield from _runs(item)
    elif isinstance(value, list):
        for item in value:
            yield from _runs(item)
