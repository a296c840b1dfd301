"""LoRA adapters: downloaded or mounted, each at a place of its own, and named to the engine."""

import json
from typing import Any

import pytest

from loco.plan import Plan
from loco.workloads.lora import volume_name
from tests.plan.stacks import container_of, found, plan_of, planned, pod_of, service

VOLUME = "kserve-provision-location"


def adapter(name: str, uri: str = "hf://org/lora") -> dict[str, str]:
    return {"name": name, "uri": uri}


def with_adapters(*adapters: dict[str, Any], uri: str = "hf://org/tiny", lora: Any = None, **spec: Any) -> Any:
    return {"model": {"uri": uri, "name": "tiny", "lora": {"adapters": list(adapters), **(lora or {})}}, **spec}


def mounts_of(plan: Plan, container: str = "main") -> dict[str, dict[str, Any]]:
    mounts = container_of(plan, container)["volumeMounts"]
    return {mount["mountPath"]: mount for mount in mounts if mount["mountPath"].startswith("/mnt")}


def served(plan: Plan) -> list[dict[str, str]]:
    """The adapters as the engine gets them, without their quotes."""
    args = container_of(plan)["args"]
    return [json.loads(word[1:-1]) for word in args if word.startswith("'{")]


def paths(*names: str) -> list[str]:
    plan = planned(with_adapters(*map(adapter, names)))
    return [module["path"] for module in served(plan) if not module["name"].startswith("publishers/")]


def test_adapters_are_downloaded_with_the_model() -> None:
    plan = planned(with_adapters(adapter("b", "s3://bucket/b"), adapter("a", "hf://org/a")))
    download = container_of(plan, "storage-initializer")
    assert download["args"] == [
        *("hf://org/tiny", "/mnt/models"),
        *("hf://org/a", "/mnt/lora/a"),
        *("s3://bucket/b", "/mnt/lora/b"),
    ]
    assert mounts_of(plan, "storage-initializer") == {"/mnt": {"name": VOLUME, "mountPath": "/mnt"}}
    assert mounts_of(plan) == {"/mnt": {"name": VOLUME, "mountPath": "/mnt", "readOnly": True}}


def test_flags_stand_before_the_users_own_arguments() -> None:
    lora = {"maxRank": 64, "maxAdapters": 2, "maxCpuAdapters": 4}
    engine = {"name": "main", "args": ["--max-model-len", "1024"]}
    spec = with_adapters(adapter("b"), adapter("a"), lora=lora, template={"containers": [engine]})
    assert container_of(planned(spec))["args"] == [
        "--enable-lora",
        "--max-lora-rank=64",
        "--max-loras=2",
        "--max-cpu-loras=4",
        "--lora-modules",
        '\'{"name":"a","path":"/mnt/lora/a"}\'',
        '\'{"name":"publishers/llm/models/a","path":"/mnt/lora/a"}\'',
        '\'{"name":"b","path":"/mnt/lora/b"}\'',
        '\'{"name":"publishers/llm/models/b","path":"/mnt/lora/b"}\'',
        "--max-model-len",
        "1024",
    ]


def test_without_bounds_there_are_no_flags_for_them() -> None:
    assert container_of(planned(with_adapters(adapter("a"))))["args"][:2] == ["--enable-lora", "--lora-modules"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a-b", "a/b"], ["/mnt/lora/a-b", "/mnt/lora/a-b-c14cddc0"]),
        (["a b", "a/b"], ["/mnt/lora/a-b-c8687a08", "/mnt/lora/a-b-c14cddc0"]),
        (["org/x"], ["/mnt/lora/org-x"]),
        (["X_1.2"], ["/mnt/lora/X_1.2"]),
        (["ä"], ["/mnt/lora/-"]),
    ],
)
def test_each_adapter_has_a_folder_of_its_own(names: list[str], expected: list[str]) -> None:
    assert paths(*names) == expected


@pytest.mark.parametrize("name", ["it's", "$(HOME)", 'say "x"', "a\\b"])
def test_name_reaches_the_engine_as_it_is(name: str) -> None:
    plan = planned(with_adapters(adapter(name)))
    assert served(plan)[0]["name"] == name
    words = [word for word in container_of(plan)["args"] if word.startswith("'{")]
    assert not any("'" in word[1:-1] or "$" in word for word in words)


def test_adapter_in_a_claim_is_mounted() -> None:
    plan = planned(with_adapters(adapter("a", "pvc://loras/some/a")))
    assert container_of(plan, "storage-initializer")["args"] == ["hf://org/tiny", "/mnt/models"]
    mount = {"name": "lora-pvc-a", "mountPath": "/mnt/lora/a", "readOnly": True, "subPath": "some/a"}
    assert mounts_of(plan)["/mnt/lora/a"] == mount
    assert pod_of(plan)["volumes"][-1] == {"name": "lora-pvc-a", "persistentVolumeClaim": {"claimName": "loras"}}
    assert served(plan)[0] == {"name": "a", "path": "/mnt/lora/a"}


def test_mounted_and_downloaded_ones_stand_side_by_side() -> None:
    plan = planned(with_adapters(adapter("a", "pvc://loras"), adapter("b")))
    assert mounts_of(plan)["/mnt"] == {"name": VOLUME, "mountPath": "/mnt"}  # writable, for the place of the other
    assert mounts_of(plan)["/mnt/lora/a"]["readOnly"] is True


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my-adapter", "lora-pvc-my-adapter"),
        ("a/b", "lora-pvc-a-b-c14cddc0"),
        ("A.b", "lora-pvc-a-b-4ff54a77"),
        ("ä", "lora-pvc-33e6d73f"),
    ],
)
def test_volume_has_a_name_that_it_can_have(name: str, expected: str) -> None:
    assert len(volume_name("x" * 100)) <= 63
    assert volume_name(name) == expected
    plan = planned(with_adapters(adapter(name, "pvc://loras")))
    assert volume_name(name) in [volume["name"] for volume in pod_of(plan)["volumes"]]


def test_names_that_differ_have_volumes_that_differ() -> None:
    names = ["a-b", "a/b", "a.b", "A-b", "ä", "ö", "x" * 100, "x" * 101]
    assert len(set(map(volume_name, names))) == len(names)


@pytest.mark.parametrize(
    ("uri", "count", "root"), [("pvc://claim/x", 1, "/mnt/lora/a"), ("pvc://claim/x", 2, "/mnt/lora")]
)
def test_beside_a_model_in_a_claim_only_the_adapters_are_downloaded(uri: str, count: int, root: str) -> None:
    plan = planned(with_adapters(*map(adapter, ["a", "b"][:count]), uri=uri))
    assert container_of(plan, "storage-initializer")["args"][:2] == ["hf://org/lora", "/mnt/lora/a"]
    assert list(mounts_of(plan, "storage-initializer")) == [root]
    assert mounts_of(plan)[root] == {"name": VOLUME, "mountPath": root, "readOnly": True}
    assert mounts_of(plan)["/mnt/models"]["name"] == "kserve-pvc-source"


def test_beside_a_models_image_they_share_its_volume() -> None:
    plan = planned(with_adapters(adapter("a"), uri="oci://r/x:1"))
    assert mounts_of(plan, "storage-initializer") == {"/mnt": {"name": VOLUME, "mountPath": "/mnt"}}
    assert mounts_of(plan) == {"/mnt": {"name": VOLUME, "mountPath": "/mnt"}}
    assert container_of(plan, "storage-initializer")["args"] == ["hf://org/lora", "/mnt/lora/a"]


@pytest.mark.parametrize(
    ("engine", "mentions"),
    [
        ({"command": ["/bin/sh", "-c"], "args": ["exec vllm serve /mnt/models"]}, "--enable-lora --lora-modules"),
        ({"command": ["vllm", "serve", "/mnt/models"]}, "--enable-lora --lora-modules"),
        ({"args": ["--lora-modules", "a=/x"]}, "without --lora-modules"),
        ({"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": "--lora_modules a=/x"}]}, "without --lora-modules"),
        ({"command": ["vllm", "serve", "--lora-modules=a"]}, "without --lora-modules"),
    ],
)
def test_with_flags_or_a_command_of_the_users_own_there_are_none(engine: dict[str, Any], mentions: str) -> None:
    plan = planned(with_adapters(adapter("a"), template={"containers": [{"name": "main", **engine}]}))
    assert container_of(plan).get("args") == engine.get("args")
    (warning,) = found(plan, "LOCO-NO-EFFECT", "warning")
    assert warning.path == "spec.model.lora.adapters"
    assert mentions in warning.cure
    assert "/mnt" in mounts_of(plan)


def test_bounds_without_adapters_have_no_effect() -> None:
    (warning,) = found(planned({"model": {"uri": "hf://org/a", "name": "x", "lora": {"maxRank": 8}}}), "LOCO-NO-EFFECT")
    assert warning.path == "spec.model.lora"
    assert not planned(with_adapters()).findings


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": "-a", "uri": "hf://org/a"}, "name"),
        ({"name": "a\nb", "uri": "hf://org/a"}, "name"),
        ({"name": " a", "uri": "hf://org/a"}, "name"),
        ({"name": "tiny", "uri": "hf://org/a"}, "name"),
        ({"name": "a", "uri": "oci://r/a:1"}, "uri"),
        ({"name": "a", "uri": "hf://a"}, "uri"),
        ({"name": "a", "uri": "pvc://A_B/x"}, "uri"),
        ({"name": "a"}, "uri"),
    ],
)
def test_adapter_that_cannot_be_is_refused(wrong: dict[str, str], field: str) -> None:
    plan = plan_of(service(with_adapters(adapter("good"), wrong)))
    (error,) = plan.errors
    assert error.path.startswith("spec.model.lora.adapters[")
    assert error.path.endswith(f".{field}")


def test_something_else_at_an_adapters_place_is_refused() -> None:
    engine = {"name": "main", "volumeMounts": [{"name": "home", "mountPath": "/mnt/lora/a/"}]}
    spec = with_adapters(adapter("a", "pvc://loras"), template={"containers": [engine]})
    (error,) = plan_of(service(spec)).errors
    assert error.path == "spec.template.containers[main].volumeMounts[home]"
