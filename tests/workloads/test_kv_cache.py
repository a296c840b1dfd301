"""Tiers of the KV cache: mounted, and with room for what the engine is told to keep in them."""

from fractions import Fraction
from typing import Any

import pytest

from loco.plan import Plan
from loco.pods.quantities import quantity
from tests.plan.stacks import container_of, found, one, plan_of, planned, pod_of, service


def tiers(*secondary: dict[str, Any], cpu: str | int = "10Gi", **more: Any) -> dict[str, Any]:
    return {"cpu": cpu, "secondary": [{"fileSystem": system} for system in secondary], **more}


def with_tiers(*secondary: dict[str, Any], cpu: str | int = "10Gi", **engine: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {"kvCacheOffloading": tiers(*secondary, cpu=cpu)}
    return spec | ({"template": {"containers": [{"name": "main", **engine}]}} if engine else {})


def volumes_of(plan: Plan) -> dict[str, dict[str, Any]]:
    return {volume["name"]: volume for volume in pod_of(plan)["volumes"]}


FOLDER = {"emptyDir": {"size": "50Gi"}}
CLAIM = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Ti"}}}}


def test_tiers_are_mounted_behind_the_model() -> None:
    plan = planned(with_tiers(FOLDER, {"pvc": {"ref": {"name": "c", "path": "p"}}}, {"pvc": CLAIM}))
    assert pod_of(plan)["volumes"][-3:] == [
        {"name": "kv-cache-secondary-0", "emptyDir": {"sizeLimit": "50Gi"}},
        {"name": "kv-cache-secondary-1", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "kv-cache-secondary-2", "ephemeral": {"volumeClaimTemplate": CLAIM}},
    ]
    assert container_of(plan)["volumeMounts"][-3:] == [
        {"name": "kv-cache-secondary-0", "mountPath": "/mnt/kv-cache-0"},
        {"name": "kv-cache-secondary-1", "mountPath": "/mnt/kv-cache-1", "subPath": "p"},
        {"name": "kv-cache-secondary-2", "mountPath": "/mnt/kv-cache-2"},
    ]


def test_each_side_has_its_own() -> None:
    plan = planned({"prefill": {"kvCacheOffloading": tiers(FOLDER)}, "kvCacheOffloading": {"cpu": "1Gi"}})
    for name, expected in (("chat-kserve", False), ("chat-kserve-prefill", True)):
        pod = one(plan, "Deployment", name).data["spec"]["template"]["spec"]
        assert ("kv-cache-secondary-0" in [volume["name"] for volume in pod["volumes"]]) is expected


@pytest.mark.parametrize(
    ("folders", "resources", "expected"),
    [
        (["50Gi"], {}, "50Gi"),
        (["50Gi", "50Gi"], {}, "100Gi"),
        (["50Gi"], {"requests": {"ephemeral-storage": "1Gi"}}, "51Gi"),
        (["50G"], {"limits": {"ephemeral-storage": "60G"}}, "50G"),
        ([53687091200], {}, "50Gi"),
    ],
)
def test_disk_is_asked_for(folders: list[Any], resources: dict[str, Any], expected: str) -> None:
    spec = with_tiers(*({"emptyDir": {"size": size}} for size in folders), resources=resources)
    assert container_of(planned(spec))["resources"]["requests"]["ephemeral-storage"] == expected


def test_disk_beyond_its_limit_is_an_error() -> None:
    spec = with_tiers(FOLDER, resources={"limits": {"ephemeral-storage": "40Gi"}})
    (error,) = plan_of(service(spec)).errors
    where = "spec.template.containers[main].resources.limits.ephemeral-storage"
    assert (error.code, error.path) == ("LOCO-MEMORY", where)
    assert "50Gi" in error.cure


@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize(("limit", "fits"), [("5Gi", False), ("10Gi", False), ("10G", False), ("11Gi", True)])
def test_memory_that_cannot_hold_the_tier_is_an_error(limit: str, fits: bool, profile: str) -> None:
    plan = plan_of(service(with_tiers(resources={"limits": {"memory": limit}})), profile=profile)
    paths = [error.path for error in plan.errors]
    assert paths == ([] if fits else ["spec.template.containers[main].resources.limits.memory"])


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "10Gi"),
        ({"requests": {"cpu": "1"}}, "10Gi"),
        ({"requests": {"memory": "1Gi"}}, "1Gi"),
        ({"limits": {"memory": "20Gi"}}, None),
    ],
)
def test_memory_is_asked_for_where_nobody_said_how_much(resources: dict[str, Any], expected: str | None) -> None:
    asked = container_of(planned(with_tiers(resources=resources)))["resources"].get("requests", {}).get("memory")
    assert asked == expected
    reference = container_of(planned(with_tiers(resources=resources), profile="kserve"))["resources"]
    assert reference == resources


def shared_memory(plan: Plan) -> Any:
    return volumes_of(plan)["dshm"]["emptyDir"]["sizeLimit"]


def test_shared_memory_of_the_preset_grows_by_the_tier() -> None:
    assert shared_memory(planned(with_tiers())) == "11Gi"
    assert shared_memory(planned(with_tiers(cpu="1536Mi"))) == "2560Mi"
    assert shared_memory(planned(with_tiers(cpu=0))) == "1Gi"
    assert shared_memory(planned(with_tiers(), profile="kserve")) == "1Gi"


@pytest.mark.parametrize(
    ("folder", "fits"),
    [
        ({"medium": "Memory", "sizeLimit": "5Gi"}, False),
        ({"medium": "Memory", "sizeLimit": "20Gi"}, True),
    ],
)
def test_shared_memory_of_the_users_own_stays(folder: dict[str, str], fits: bool) -> None:
    spec = {**with_tiers(), "template": {"volumes": [{"name": "dshm", "emptyDir": folder}]}}
    plan = planned(spec)
    assert shared_memory(plan) == folder["sizeLimit"]
    warnings = found(plan, "LOCO-MEMORY", "warning")
    assert [warning.path for warning in warnings] == (
        [] if fits else ["spec.template.volumes[dshm].emptyDir.sizeLimit"]
    )


def test_engine_without_shared_memory_is_a_warning() -> None:
    mounts = [{"mountPath": "/dev/shm", "$patch": "delete"}]
    (warning,) = found(planned(with_tiers(volumeMounts=mounts)), "LOCO-MEMORY", "warning")
    assert "64Mi" in warning.message


@pytest.mark.parametrize(
    "engine",
    [
        {"command": ["/bin/sh", "-c", "exec vllm serve"]},
        {"args": ["--kv-transfer-config", "{}"]},
        {"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": "--kv_transfer_config={}"}]},
    ],
)
def test_own_command_or_config_takes_the_flags_place(engine: dict[str, Any]) -> None:
    warnings = found(planned(with_tiers(**engine)), "LOCO-NO-EFFECT", "warning")
    assert [warning.path for warning in warnings] == ["spec.kvCacheOffloading"]


@pytest.mark.parametrize(
    ("mount", "path"),
    [
        ({"name": "home", "mountPath": "/mnt/kv-cache-0"}, "spec.template.containers[main].volumeMounts[home]"),
        (None, "spec.template.volumes[kv-cache-secondary-0]"),
    ],
)
def test_place_that_is_taken_is_an_error(mount: dict[str, str] | None, path: str) -> None:
    spec = with_tiers(FOLDER, **({"volumeMounts": [mount]} if mount else {}))
    if mount is None:
        spec["template"] = {"volumes": [{"name": "kv-cache-secondary-0", "emptyDir": {}}]}
    assert [error.path for error in plan_of(service(spec)).errors] == [path]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (1, "1"),
        (1000, "1k"),
        (1024, "1Ki"),
        (50 * 10**9, "50G"),
        (50 * 2**30, "50Gi"),
        (1536 * 2**20, "1536Mi"),
        (Fraction(3, 2), "2"),
    ],
)
def test_quantities(number: Fraction | int, text: str) -> None:
    assert quantity(Fraction(number)) == text
