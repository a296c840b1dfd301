"""How the model reaches the engine: by scheme, and with what the user's own pod says of it."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import container_of, found, plan_of, planned, pod_of, service

VOLUME = "kserve-provision-location"


def with_uri(uri: str) -> dict[str, Any]:
    return {"model": {"uri": uri, "name": "tiny"}}


def names_of(items: list[dict[str, Any]] | None) -> list[str]:
    return [item["name"] for item in items or []]


def initializer(plan: Plan) -> dict[str, Any]:
    container = container_of(plan, "storage-initializer")
    container.pop("securityContext", None)
    return container


@pytest.mark.parametrize(
    ("profile", "image"),
    [("kserve", "kserve/storage-initializer:latest"), ("safe", "kserve/storage-initializer:v0.16.0")],
)
@pytest.mark.parametrize("uri", ["hf://org/tiny", "hf://org/tiny:0123abc"])
def test_init_container_downloads_from_hugging_face(profile: str, image: str, uri: str) -> None:
    plan = planned(with_uri(uri), profile=profile)
    assert initializer(plan) == {
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


def test_download_from_s3_has_no_tuning_of_hugging_face() -> None:
    download = initializer(planned(with_uri("s3://bucket/path")))
    assert download["args"] == ["s3://bucket/path", "/mnt/models"]
    assert "env" not in download


def test_it_comes_after_the_users_init_containers() -> None:
    plan = planned({"template": {"initContainers": [{"name": "first", "image": "x"}]}})
    assert names_of(pod_of(plan)["initContainers"]) == ["first", "storage-initializer"]


@pytest.mark.parametrize("uri", ["hf://org/tiny", "s3://b/c", "pvc://claim/x", "oci://r/x:1", "oci+native://r/x:1"])
def test_disabled_storage_attaches_nothing(uri: str) -> None:
    plan = planned({**with_uri(uri), "storageInitializer": {"enabled": False}})
    pod = pod_of(plan)
    assert not pod.get("initContainers")
    assert names_of(pod["containers"]) == ["main"]
    assert not {VOLUME, "kserve-pvc-source", "mnt-models"} & set(names_of(pod["volumes"]))
    assert not any(mount["mountPath"].startswith("/mnt") for mount in container_of(plan)["volumeMounts"])


@pytest.mark.parametrize("settings", [{}, {"enabled": True}])
def test_enabled_by_default(settings: dict[str, bool]) -> None:
    assert container_of(planned({"storageInitializer": settings}), "storage-initializer")


@pytest.mark.parametrize(
    "uri",
    [
        *("", "model", "org/model", "hf://", "hf://model", "hf:///model", "hf://org/", "hf://org/model/file"),
        *("hf://org/my model", "hf://org/model ", "://org/model", "HF://org/model", "gs://bucket/model", "s3:///x"),
        *("pvc://", "pvc:///path", "pvc://My_Claim/x", "pvc://claim/../x", "oci://", "oci:///x", "oci://r/x:"),
        *("oci+native://", "oci+native://r/x@"),
    ],
)
def test_uri_that_leads_nowhere_is_one_error_at_its_place(uri: str) -> None:
    (error,) = plan_of(service(with_uri(uri))).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.model.uri")
    assert error.value == uri


@pytest.mark.parametrize("model", [None, {}, {"name": "x"}])
def test_service_without_a_model_is_refused(model: dict[str, str] | None) -> None:
    (error,) = plan_of(service({"model": model})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.model.uri")


@pytest.mark.parametrize("name", ["-x", " x", "x ", "a\nb", "a\tb"])
def test_name_that_cannot_be_served_is_refused(name: str) -> None:
    (error,) = plan_of(service({"model": {"uri": "hf://org/tiny", "name": name}})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.model.name")


@pytest.mark.parametrize(
    ("uri", "below"),
    [
        ("pvc://claim", None),
        ("pvc://claim/", None),
        ("pvc://claim/some/path", "some/path"),
        ("pvc://claim/some/path/", "some/path"),
    ],
)
def test_model_in_a_claim_is_mounted(uri: str, below: str | None) -> None:
    plan = planned(with_uri(uri))
    pod = pod_of(plan)
    assert not pod.get("initContainers")
    assert pod["volumes"][-1] == {"name": "kserve-pvc-source", "persistentVolumeClaim": {"claimName": "claim"}}
    mount = {"name": "kserve-pvc-source", "mountPath": "/mnt/models", "readOnly": True}
    assert container_of(plan)["volumeMounts"][-1] == mount | ({"subPath": below} if below else {})


def with_initializer(**fields: Any) -> dict[str, Any]:
    return {"template": {"initContainers": [{"name": "storage-initializer", **fields}]}}


def test_initializer_of_the_users_own_is_laid_over_the_generated_one() -> None:
    own = with_initializer(
        image="mine:1",
        env=[
            {"name": "HF_XET_HIGH_PERFORMANCE", "value": "0"},
            {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
        ],
        resources={"limits": {"memory": "8Gi"}},
        volumeMounts=[{"name": "tmp-dir", "mountPath": "/tmp"}],
        securityContext={"runAsUser": 7},
    )
    plan = planned(own)
    download = container_of(plan, "storage-initializer")
    assert names_of(pod_of(plan)["initContainers"]) == ["storage-initializer"]
    assert download["image"] == "mine:1"
    assert download["args"] == ["hf://org/tiny", "/mnt/models"]
    assert download["resources"] == {
        "requests": {"cpu": "100m", "memory": "100Mi"},
        "limits": {"cpu": "1", "memory": "8Gi"},
    }
    assert download["securityContext"]["runAsUser"] == 7
    assert {item["name"]: item.get("value") for item in download["env"]} == {
        "HF_XET_HIGH_PERFORMANCE": "0",
        "HF_TOKEN": None,
        "HF_HUB_ENABLE_HF_TRANSFER": "1",
        "HF_XET_NUM_CONCURRENT_RANGE_GETS": "8",
    }
    assert sorted(mount["mountPath"] for mount in download["volumeMounts"]) == ["/mnt/models", "/tmp"]
    assert [finding.code for finding in plan.findings] == ["LOCO-CREDENTIAL"]  # of the Secret hf nothing is declared


def test_it_keeps_its_place_among_the_users_own() -> None:
    own = [{"name": "storage-initializer"}, {"name": "convert", "image": "x"}]
    plan = planned({"template": {"initContainers": own}})
    assert names_of(pod_of(plan)["initContainers"]) == ["storage-initializer", "convert"]


def test_what_it_runs_follows_from_the_model() -> None:
    plan = planned(with_initializer(command=["/bin/mine"], args=["x"]))
    download = container_of(plan, "storage-initializer")
    assert "command" not in download
    assert download["args"] == ["hf://org/tiny", "/mnt/models"]
    warnings = found(plan, "LOCO-NO-EFFECT", "warning")
    assert [warning.path for warning in warnings] == [
        "spec.template.initContainers[storage-initializer].command",
        "spec.template.initContainers[storage-initializer].args",
    ]


@pytest.mark.parametrize("uri", ["pvc://claim/x", "oci://r/x:1", "oci+native://r/x:1"])
def test_it_is_left_out_with_a_warning_where_nothing_is_downloaded(uri: str) -> None:
    plan = planned({**with_initializer(image="mine:1"), **with_uri(uri)})
    assert "storage-initializer" not in names_of(pod_of(plan).get("initContainers"))
    (warning,) = found(plan, "LOCO-NO-EFFECT", "warning")
    assert warning.path == "spec.template.initContainers[storage-initializer]"


def test_it_may_not_have_another_volume_at_the_models_place() -> None:
    own = with_initializer(volumeMounts=[{"name": "tmp-dir", "mountPath": "/mnt/models"}])
    (error,) = plan_of(service(own)).errors
    assert error.path == "spec.template.initContainers[storage-initializer].volumeMounts[tmp-dir]"


def mounting(name: str, path: str, **source: Any) -> dict[str, Any]:
    return {
        "template": {
            "volumes": [{"name": name, **(source or {"persistentVolumeClaim": {"claimName": "weights"}})}],
            "containers": [{"name": "main", "volumeMounts": [{"name": name, "mountPath": path}]}],
        }
    }


@pytest.mark.parametrize("uri", ["hf://org/tiny", "pvc://claim/x", "oci+native://r/x:1"])
@pytest.mark.parametrize("path", ["/mnt/models", "/mnt/models/", "/mnt/../mnt/models"])
def test_other_volume_at_the_models_place_is_refused(path: str, uri: str) -> None:
    (error,) = plan_of(service({**mounting("mine", path), **with_uri(uri)})).errors
    assert error.path == "spec.template.containers[main].volumeMounts[mine]"
    assert "storageInitializer: {enabled: false}" in error.cure
    plan = planned({**mounting("mine", path), "storageInitializer": {"enabled": False}})
    assert {"name": "mine", "mountPath": path} in container_of(plan)["volumeMounts"]


def test_volume_beside_the_model_is_fine_and_one_below_it_can_be_mounted() -> None:
    def is_read_only(path: str) -> bool:
        mounts = container_of(planned(mounting("mine", path)))["volumeMounts"]
        return any(mount["name"] == VOLUME and mount.get("readOnly") is True for mount in mounts)

    assert is_read_only("/mnt/models-too")
    assert not is_read_only("/mnt/models/adapters")  # in a read-only one the runtime can't make the place for it


def test_claim_in_the_place_of_the_emptydir_keeps_the_download() -> None:
    claim = {"name": VOLUME, "persistentVolumeClaim": {"claimName": "weights"}}
    plan = planned({"template": {"volumes": [claim]}})
    assert [volume for volume in pod_of(plan)["volumes"] if volume["name"] == VOLUME] == [claim]
    mounts = [mount for mount in container_of(plan)["volumeMounts"] if mount["name"] == VOLUME]
    assert mounts == [{"name": VOLUME, "mountPath": "/mnt/models", "readOnly": True}]
    elsewhere = planned(mounting(VOLUME, "/elsewhere"))
    paths = [mount["mountPath"] for mount in container_of(elsewhere)["volumeMounts"] if mount["name"] == VOLUME]
    assert sorted(paths) == ["/elsewhere", "/mnt/models"]


SOURCE = "hf://org/tiny"
CACHED = {
    "labels": {"internal.serving.kserve.io/localmodel": "tiny"},
    "annotations": {
        "internal.serving.kserve.io/localmodel-sourceuri": SOURCE,
        "internal.serving.kserve.io/localmodel-pvc-name": "cache-node-1",
    },
}


def test_cached_model_is_mounted_from_the_cache() -> None:
    plan = plan_of(service(with_uri(SOURCE), **CACHED))
    assert not plan.findings
    assert pod_of(plan)["volumes"][-1]["persistentVolumeClaim"] == {"claimName": "cache-node-1"}
    # The first 16 digits of the SHA-256 of the source.
    assert container_of(plan)["volumeMounts"][-1]["subPath"] == "models/6c48338471ae6361"


@pytest.mark.parametrize("missing", CACHED["annotations"])
def test_cache_without_its_annotations_is_refused(missing: str) -> None:
    annotations = {key: value for key, value in CACHED["annotations"].items() if key != missing}
    plan = plan_of(service(with_uri(SOURCE), labels=CACHED["labels"], annotations=annotations))
    assert [error.path for error in plan.errors] == [f'metadata.annotations["{missing}"]']


def test_cache_of_another_model_is_refused() -> None:
    (error,) = plan_of(service(with_uri("hf://org/other"), **CACHED)).errors
    assert error.path == 'metadata.annotations["internal.serving.kserve.io/localmodel-sourceuri"]'
