"""How the model reaches the engine."""

from typing import Any

import pytest

from tests.plan.stacks import container_of, plan_of, planned, pod_of, service

VOLUME = "kserve-provision-location"


def with_uri(uri: str) -> dict[str, Any]:
    return {"model": {"uri": uri, "name": "tiny"}}


@pytest.mark.parametrize(
    ("profile", "image"),
    [("kserve", "kserve/storage-initializer:latest"), ("safe", "kserve/storage-initializer:v0.16.0")],
)
@pytest.mark.parametrize("uri", ["hf://org/tiny", "hf://org/tiny:0123abc"])
def test_init_container_downloads_from_hugging_face(profile: str, image: str, uri: str) -> None:
    plan = planned(with_uri(uri), profile=profile)
    initializer = container_of(plan, "storage-initializer")
    initializer.pop("securityContext", None)
    assert initializer == {
        "name": "storage-initializer",
        "image": image,
        "args": [uri, "/mnt/models"],
        "env": [
            {"name": "HF_HUB_ENABLE_HF_TRANSFER", "value": "1"},
            {"name": "HF_XET_HIGH_PERFORMANCE", "value": "1"},
            {"name": "HF_XET_NUM_CONCURRENT_RANGE_GETS", "value": "8"},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": VOLUME, "mountPath": "/mnt/models"}],
    }
    assert container_of(plan)["volumeMounts"][-1] == {"name": VOLUME, "mountPath": "/mnt/models", "readOnly": True}
    assert pod_of(plan)["volumes"][-1] == {"name": VOLUME, "emptyDir": {}}


def test_it_comes_after_the_users_init_containers() -> None:
    plan = planned({"template": {"initContainers": [{"name": "first", "image": "x"}]}})
    assert [container["name"] for container in pod_of(plan)["initContainers"]] == ["first", "storage-initializer"]


@pytest.mark.parametrize("uri", ["hf://org/tiny", "s3://b/c", "pvc://claim/x", "nonsense"])
def test_disabled_storage_attaches_nothing(uri: str) -> None:
    plan = planned({**with_uri(uri), "storageInitializer": {"enabled": False}})
    pod = pod_of(plan)
    assert not pod.get("initContainers")
    assert VOLUME not in [volume["name"] for volume in pod["volumes"]]
    assert VOLUME not in [mount["name"] for mount in container_of(plan)["volumeMounts"]]


@pytest.mark.parametrize("settings", [{}, {"enabled": True}])
def test_enabled_by_default(settings: dict[str, bool]) -> None:
    assert container_of(planned({"storageInitializer": settings}), "storage-initializer")


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("", "LOCO-VALUE"),
        ("model", "LOCO-VALUE"),
        ("org/model", "LOCO-VALUE"),
        ("hf://", "LOCO-VALUE"),
        ("hf://model", "LOCO-VALUE"),
        ("hf:///model", "LOCO-VALUE"),
        ("hf://org/", "LOCO-VALUE"),
        ("hf://org/model/file", "LOCO-VALUE"),
        ("hf://org/my model", "LOCO-VALUE"),
        ("hf://org/model ", "LOCO-VALUE"),
        ("://org/model", "LOCO-UNSUPPORTED"),
        ("HF://org/model", "LOCO-UNSUPPORTED"),
        ("pvc://claim", "LOCO-UNSUPPORTED"),
        ("oci://image", "LOCO-UNSUPPORTED"),
    ],
)
def test_uri_that_leads_nowhere_is_one_error_at_its_place(uri: str, code: str) -> None:
    (error,) = plan_of(service(with_uri(uri))).errors
    assert (error.code, error.path) == (code, "spec.model.uri")


@pytest.mark.parametrize("model", [None, {}, {"name": "x"}])
def test_service_without_a_model_is_refused(model: dict[str, str] | None) -> None:
    (error,) = plan_of(service({"model": model})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.model.uri")


@pytest.mark.parametrize("name", ["-x", " x", "x ", "a\nb", "a\tb"])
def test_name_that_cannot_be_served_is_refused(name: str) -> None:
    (error,) = plan_of(service({"model": {"uri": "hf://org/tiny", "name": name}})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.model.name")


def test_initializer_of_the_users_own_is_refused() -> None:
    spec = {"template": {"initContainers": [{"name": "storage-initializer", "image": "x"}]}}
    (error,) = plan_of(service(spec)).errors
    assert error.code == "LOCO-UNSUPPORTED"
    assert error.path == "spec.template.initContainers[storage-initializer]"


def mounting(name: str, path: str, **source: Any) -> dict[str, Any]:
    return {
        "template": {
            "volumes": [{"name": name, **(source or {"persistentVolumeClaim": {"claimName": "weights"}})}],
            "containers": [{"name": "main", "volumeMounts": [{"name": name, "mountPath": path}]}],
        }
    }


@pytest.mark.parametrize("path", ["/mnt/models", "/mnt/models/", "/mnt/../mnt/models"])
def test_other_volume_at_the_models_place_is_refused(path: str) -> None:
    (error,) = plan_of(service(mounting("mine", path))).errors
    assert error.path == "spec.template.containers[main].volumeMounts[mine]"
    assert "storageInitializer: {enabled: false}" in error.cure
    plan = planned({**mounting("mine", path), "storageInitializer": {"enabled": False}})
    assert {"name": "mine", "mountPath": path} in container_of(plan)["volumeMounts"]


def test_volume_below_or_beside_the_model_is_fine() -> None:
    assert planned(mounting("mine", "/mnt/models/adapters"))
    assert planned(mounting("mine", "/mnt/models-too"))


def test_claim_in_the_place_of_the_emptydir_keeps_the_download() -> None:
    claim = {"name": VOLUME, "persistentVolumeClaim": {"claimName": "weights"}}
    plan = planned({"template": {"volumes": [claim]}})
    assert [volume for volume in pod_of(plan)["volumes"] if volume["name"] == VOLUME] == [claim]
    mounts = [mount for mount in container_of(plan)["volumeMounts"] if mount["name"] == VOLUME]
    assert mounts == [{"name": VOLUME, "mountPath": "/mnt/models", "readOnly": True}]
    elsewhere = planned(mounting(VOLUME, "/elsewhere"))
    paths = [mount["mountPath"] for mount in container_of(elsewhere)["volumeMounts"] if mount["name"] == VOLUME]
    assert sorted(paths) == ["/elsewhere", "/mnt/models"]
