"""The profile safe, with prefill apart and several nodes, is KServe's behaviour and exactly the documented differences."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from tests.plan.stacks import planned
from tests.plan.test_profiles import leaves

DOCUMENTED: list[dict[str, str]] = yaml.safe_load(
    (Path(__file__).parent / "topologies_safe_minus_kserve.yaml").read_text("utf-8")
)
GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
GROUP = {"parallelism": {"data": 2, "dataLocal": 1}, "template": GPU, "worker": GPU}
SPECS: list[dict[str, Any]] = [{"template": GPU, "prefill": {"template": GPU}}, {**GROUP, "prefill": GROUP}]


def objects(spec: dict[str, Any], profile: str) -> dict[str, dict[str, Any]]:
    manifests = planned(spec, profile=profile).manifests
    return {f"{m.id.kind}/{m.name}": dict(leaves(dict(m.data))) for m in manifests}


def differing(spec: dict[str, Any]) -> Iterator[str]:
    """Object and path; of an object that only one profile has, the object alone."""
    safe, kserve = objects(spec, "safe"), objects(spec, "kserve")
    yield from safe.keys() ^ kserve.keys()
    for name in safe.keys() & kserve.keys():
        for path in safe[name].keys() | kserve[name].keys():
            if safe[name].get(path) != kserve[name].get(path):
                yield f"{name} {path}"


def test_differences_are_exactly_the_documented_ones() -> None:
    found = {difference for spec in SPECS for difference in differing(spec)}
    patterns = [row["path"] for row in DOCUMENTED]
    assert {path for path in found if not any(fnmatchcase(path, pattern) for pattern in patterns)} == set()
    assert {pattern for pattern in patterns if not any(fnmatchcase(path, pattern) for path in found)} == set()


def test_every_difference_has_a_reason() -> None:
    assert all(row.keys() == {"path", "why"} and len(row["why"]) > 10 for row in DOCUMENTED)
