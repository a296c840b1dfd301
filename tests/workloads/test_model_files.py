"""A model's files for a container that looks for them elsewhere, as a tokenizer does."""

from typing import Any

import pytest

from loco.layers import resolve
from loco.pods.model_files import attach_model_files
from loco.spec import read_stack
from tests.plan.stacks import service

PLACE = ("router", "scheduler", "tokenizer", "template")


def pod_with(uri: str, profile: str = "safe", **spec: Any) -> dict[str, Any]:
    """A pod whose only container has the model at /mnt/models/base."""
    config = {"files": [], "namespace": "llm", "profile": profile}
    document = service({"model": {"uri": uri, "name": "tiny"}, **spec})
    stack = read_stack("/nonexistent", config, documents=[document])
    resolved, _ = resolve(stack.documents[0], stack)
    assert resolved is not None
    pod: dict[str, Any] = {"containers": [{"name": "main", "image": "x"}]}
    findings = attach_model_files(pod, pod["containers"][0], resolved, PLACE, path="/mnt/models/base")
    assert findings == []
    return pod


@pytest.mark.parametrize("uri", ["hf://org/tiny", "s3://bucket/tiny"])
def test_download_goes_to_one_path_and_is_mounted_at_another(uri: str) -> None:
    pod = pod_with(uri)
    (download,) = pod["initContainers"]
    assert download["args"] == [uri, "/mnt/models"]
    assert [mount["mountPath"] for mount in download["volumeMounts"]] == ["/mnt/models"]
    mount = {"name": "kserve-provision-location", "mountPath": "/mnt/models/base", "readOnly": True}
    assert pod["containers"][0]["volumeMounts"] == [mount]


def test_claim() -> None:
    (mount,) = pod_with("pvc://claim/below")["containers"][0]["volumeMounts"]
    assert (mount["mountPath"], mount["subPath"]) == ("/mnt/models/base", "below")


def test_image_beside() -> None:
    pod = pod_with("oci://r/x:1", profile="kserve")
    engine, beside = pod["containers"]
    script = "mkdir -p /mnt/models && ln -sf /proc/$$$$/root/models /mnt/models/base && sleep infinity"
    assert beside["args"] == ["sh", "-c", script]
    for container in (engine, beside):
        assert container["volumeMounts"] == [{"name": "kserve-provision-location", "mountPath": "/mnt/models"}]


def test_image_as_a_volume() -> None:
    pod = pod_with("oci+native://r/x:1")
    assert [volume["name"] for volume in pod["volumes"]] == ["mnt-models-base"]


def test_nothing_where_the_user_brings_the_files() -> None:
    assert pod_with("hf://org/tiny", storageInitializer={"enabled": False}) == {
        "containers": [{"name": "main", "image": "x"}]
    }
