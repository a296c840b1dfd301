"""The profile safe is KServe's behaviour and exactly the documented differences."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.model import Manifest
from tests.plan.stacks import planned

DOCUMENTED: list[dict[str, str]] = yaml.safe_load((Path(__file__).parent / "safe_minus_kserve.yaml").read_text("utf-8"))

# Together they reach every rule of the profile: a CPU service, a GPU service, an image that runs as root, a routed one.
GPU = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
SERVICES: list[dict[str, Any]] = [
    {},
    {"template": {"containers": [{"name": "main", **GPU}]}, "replicas": 2},
    {"template": {"containers": [{"name": "main", "image": "vllm/vllm-openai:v0.23.0"}]}},
    {"router": {"scheduler": {}, "route": {}, "gateway": {"refs": [{"name": "shared"}]}}},
    {"template": {"containers": [{"name": "main", "env": [{"name": "HF_TOKEN", "value": "x"}]}]}},
    {"model": {"uri": "oci://registry/model:1", "name": "tiny"}},
    {"kvCacheOffloading": {"cpu": "10Gi"}},
    {"parallelism": {"tensor": 2}},
    {"model": {"uri": "hf://org/large-70b", "name": "large"}},
    {"scaling": {"maxReplicas": 4, "wva": {"hpa": {}}}},
]
PLATFORMS: list[dict[str, Any]] = [{}, {"tls": True}, {"spareGpus": 1}, {"clients": [{"namespace": "apps"}]}]
_NAMED = ("containers", "initContainers", "volumes", "env")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and path.rpartition(".")[2] in (*_NAMED, "volumeMounts"):
        by = "mountPath" if path.endswith("volumeMounts") else "name"
        for item in value:
            yield from leaves(item, f"{path}[{item[by]}]")
    elif isinstance(value, list) and path.rpartition(".")[2] in ("rules", "command"):
        for item in value:  # how often each stands there
            yield f"{path}[{json.dumps(item)}]", value.count(item)
    else:
        yield path, value


def objects(spec: dict[str, Any], profile: str, platform: dict[str, Any]) -> dict[str, dict[str, Any]]:
    plan = planned(spec, profile=profile, platform=platform)
    return {_called(manifest): dict(leaves(dict(manifest.data))) for manifest in plan.manifests}


def _called(manifest: Manifest) -> str:
    """The kind, but for the picker's Deployment and Service, which stand beside the engine's."""
    picker = manifest.id.kind in ("Deployment", "Service") and manifest.data["metadata"]["labels"][
        "app.kubernetes.io/component"
    ].endswith("-router-scheduler")
    return f"{manifest.id.kind}/picker" if picker else manifest.id.kind


def differing(spec: dict[str, Any], platform: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Path, KServe's value and safe's; an object that only one profile has is one difference."""
    safe, kserve = (objects(spec, profile, platform) for profile in ("safe", "kserve"))
    for kind in safe.keys() ^ kserve.keys():
        yield kind, "present" if kind in kserve else "absent", "present" if kind in safe else "absent"
    for kind in safe.keys() & kserve.keys():
        ours, theirs = safe[kind], kserve[kind]
        for path in ours.keys() | theirs.keys():
            pair = (theirs.get(path, "absent"), ours.get(path, "absent"))
            if pair[0] != pair[1]:
                yield f"{kind} {path}", _text(pair[0]), _text(pair[1])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_differences_are_exactly_the_documented_ones() -> None:
    found = {difference for spec in SERVICES for platform in PLATFORMS for difference in differing(spec, platform)}
    documented = {(row["path"], row["kserve"], row["safe"]) for row in DOCUMENTED}
    assert found - documented == set()
    assert documented - found == set()


@pytest.mark.parametrize("row", DOCUMENTED, ids=lambda row: row["path"])
def test_every_difference_has_a_reason(row: dict[str, str]) -> None:
    assert row.keys() == {"path", "kserve", "safe", "why"}
    assert len(row["why"]) > 10
