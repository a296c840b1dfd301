"""Models that are images: seen through a container beside the engine, or mounted."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import container_of, found, plan_of, planned, pod_of, service

VOLUME = "kserve-provision-location"


def with_image(image: str, scheme: str = "oci", **spec: Any) -> dict[str, Any]:
    return {"model": {"uri": f"{scheme}://{image}", "name": "tiny"}, **spec}


def users(plan: Plan) -> dict[str, int | None]:
    return {
        name: container_of(plan, name).get("securityContext", {}).get("runAsUser")
        for name in ("main", "modelcar", "modelcar-init")
    }


def test_image_runs_beside_the_engine_and_links_its_files() -> None:
    plan = planned(with_image("r/model:1"), profile="kserve")
    pod = pod_of(plan)
    assert pod["shareProcessNamespace"] is True
    beside = container_of(plan, "modelcar")
    assert beside == {
        "name": "modelcar",
        "image": "r/model:1",
        "args": ["sh", "-c", "ln -sf /proc/$$$$/root/models /mnt/models && sleep infinity"],
        "resources": {"requests": {"cpu": "10m", "memory": "15Mi"}, "limits": {"cpu": "10m", "memory": "15Mi"}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": VOLUME, "mountPath": "/mnt"}],
    }
    before = container_of(plan, "modelcar-init")
    assert before["image"] == "r/model:1"
    assert "volumeMounts" not in before
    engine = container_of(plan)
    assert engine["env"][-1] == {"name": "MODEL_INIT_MODE", "value": "async"}
    assert engine["volumeMounts"][-1] == {"name": VOLUME, "mountPath": "/mnt"}
    assert pod["volumes"][-1] == {"name": VOLUME, "emptyDir": {}}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ({}, 1010),
        ({"securityContext": {"runAsUser": 7}}, 7),
        ({"containers": [{"name": "main", "securityContext": {"runAsUser": 8}}]}, 8),
        ({"containers": [{"name": "main", "image": "vllm/vllm-openai:v0.23.0"}]}, 1010),
    ],
)
def test_both_run_as_one_user(template: dict[str, Any], expected: int) -> None:
    plan = planned(with_image("r/model:1", template=template))
    chosen = users(plan)
    assert chosen["modelcar"] == chosen["modelcar-init"] == expected
    assert chosen["main"] == (expected if "securityContext" not in template else None)
    assert not found(plan, "LOCO-WEAK-SECURITY")


def test_the_reference_names_no_user() -> None:
    assert set(users(planned(with_image("r/model:1"), profile="kserve")).values()) == {None}


def test_processes_that_are_kept_apart_are_an_error() -> None:
    (error,) = plan_of(service(with_image("r/model:1", template={"shareProcessNamespace": False}))).errors
    assert error.path == "spec.template.shareProcessNamespace"


def test_native_image_is_a_volume() -> None:
    plan = planned(with_image("r/model:1", "oci+native"))
    pod = pod_of(plan)
    image = {"reference": "r/model:1", "pullPolicy": "IfNotPresent"}
    assert pod["volumes"][-1] == {"name": "mnt-models", "image": image}
    assert [container["name"] for container in pod["containers"]] == ["main"]
    assert "shareProcessNamespace" not in pod
    mount = {"name": "mnt-models", "mountPath": "/mnt/models", "readOnly": True, "subPath": "models"}
    assert container_of(plan)["volumeMounts"][-1] == mount


@pytest.mark.parametrize("scheme", ["oci", "oci+native"])
def test_mirror_holds_for_models_too(scheme: str) -> None:
    plan = planned(with_image("ghcr.io/org/model:1", scheme), platform={"registries": {"ghcr.io": "mirror.x/gh"}})
    pod = pod_of(plan)
    images = {container["image"] for container in pod["containers"]}
    images |= {volume["image"]["reference"] for volume in pod["volumes"] if "image" in volume}
    assert "mirror.x/gh/org/model:1" in images


@pytest.mark.parametrize(
    ("image", "moves"),
    [
        ("r/model", True),
        ("r/model:latest", True),
        ("r:5000/model", True),
        ("r:5000/model:1", False),
        (f"r/model@sha256:{'0' * 64}", False),
        (f"r/model:latest@sha256:{'0' * 64}", False),
    ],
)
@pytest.mark.parametrize("scheme", ["oci", "oci+native"])
def test_image_that_may_change_is_a_warning(image: str, moves: bool, scheme: str) -> None:
    warnings = found(planned(with_image(image, scheme)), "LOCO-UNPINNED", "warning")
    assert [warning.path for warning in warnings] == (["spec.model.uri"] if moves else [])
    assert not planned(with_image(image, scheme), profile="kserve").findings


@pytest.mark.parametrize("uri", ["oci://r/x:1", "pvc://claim"])
def test_nothing_decrypts_what_is_not_downloaded(uri: str) -> None:
    model = {"uri": uri, "name": "tiny", "confidential": {"enabled": True}}
    plan = plan_of(service({"model": model}))
    assert [finding.path for finding in found(plan, "LOCO-NO-EFFECT")] == ["spec.model.confidential.enabled"]
