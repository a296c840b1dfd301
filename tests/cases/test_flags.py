"""Flags that users give the engine themselves, against what the plan makes of fields (V7 and its like)."""

from typing import Any

import pytest

from loco.plan import Plan
from loco.spec.tree import Leaf, leaves
from loco.workloads.engine_flags import given_flags
from tests.cases.rows import PLATFORM, about, engine
from tests.plan.stacks import base, found, plan_of, service
from tests.workloads.topologies import templates

MORE = "VLLM_ADDITIONAL_ARGS"


def variable(text: str) -> dict[str, Any]:
    return {"env": [{"name": MORE, "value": text}]}


def shared_memory(plan: Plan, workload: str = "chat-kserve", pod: str = "pod") -> Any:
    volumes = templates(plan, workload)[pod]["spec"]["volumes"]
    return next((v["emptyDir"]["sizeLimit"] for v in volumes if v["name"] == "dshm"), None)


def planned(spec: dict[str, Any], **config: Any) -> Plan:
    plan = plan_of(service({"replicas": 2, **spec}), platform=PLATFORM, **config)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


@about("V7", "vllm#37982", "production-stack#899")
@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ({}, "1Gi"),
        ({"template": engine(gpus=1)}, "1Gi"),
        ({"parallelism": {"tensor": 2}, "template": engine(gpus=2)}, "2Gi"),
        ({"template": engine("--tensor-parallel-size", "2", gpus=2)}, "2Gi"),
        ({"parallelism": {"tensor": 4}}, "4Gi"),
        ({"template": engine("--tensor-parallel-size", "4")}, "4Gi"),
        ({"template": engine("--tensor_parallel_size=4")}, "4Gi"),
        ({"template": engine("-tp", "4")}, "4Gi"),
        ({"template": engine("--tensor-parallel-size=2", "-pp=3")}, "6Gi"),
        ({"template": engine("--data-parallel-size", "3")}, "3Gi"),
        ({"template": engine(**variable("--tensor-parallel-size 2"))}, "2Gi"),
        ({"template": engine("--tensor-parallel-size", "4", **variable("-tp 2"))}, "4Gi"),  # args come last
        ({"template": engine(gpus=8)}, "8Gi"),
        ({"template": engine(command=["bash", "-c", "vllm serve x --tensor-parallel-size 2"])}, "2Gi"),
        ({"template": engine(command=["vllm", "serve", "-tp", "$TP"], gpus=3)}, "3Gi"),
        ({"template": {**engine(gpus=4), "volumes": [{"name": "dshm", "emptyDir": {"sizeLimit": "2Gi"}}]}}, "2Gi"),
        ({"parallelism": {"tensor": 2}, "kvCacheOffloading": {"cpu": "10Gi"}}, "12Gi"),
    ],
)
def test_shared_memory_fits_the_processes_however_they_are_told(spec: dict[str, Any], size: str) -> None:
    assert shared_memory(planned(spec)) == size


@about("V7")
def test_shared_memory_of_groups_and_of_the_reference() -> None:
    group = {"parallelism": {"data": 32, "dataLocal": 16}, "worker": {}}
    assert {shared_memory(planned(group), "chat-kserve-mn", pod) for pod in ("leader", "worker")} == {"16Gi"}
    small = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {}}
    assert shared_memory(planned(small), "chat-kserve-mn", "worker") == "8Gi", "a preset's own is never lowered"
    assert shared_memory(planned({"parallelism": {"tensor": 4}}, profile="kserve")) == "1Gi"


@about("V7")
@pytest.mark.parametrize(
    ("fields", "warned"),
    [({"parallelism": {"tensor": 2}}, True), ({}, False), ({"template": {"hostIPC": True}}, False)],
)
def test_processes_without_a_volume_of_shared_memory_are_told(fields: dict[str, Any], warned: bool) -> None:
    """But for a single one, and for a pod that has the node's."""
    mounts = [{"$patch": "delete", "mountPath": "/dev/shm"}]
    pod = {**engine(gpus=2 if warned else 1, volumeMounts=mounts), **fields.get("template", {})}
    plan = planned({**fields, "template": pod})
    warnings = found(plan, "LOCO-MEMORY", "warning")
    assert [warning.path for warning in warnings] == ["spec.template.containers[main].volumeMounts"] * warned
    assert all("2 processes" in w.message and "2Gi" in w.cure for w in warnings)


REFUSED: list[tuple[dict[str, Any], tuple[str, ...], dict[str, Any], list[str]]] = [
    ({"parallelism": {"tensor": 2}}, ("--tensor-parallel-size", "4"), {}, ["spec.parallelism.tensor", "is 2", "4"]),
    ({"parallelism": {"tensor": 2}}, ("-tp=4",), {}, ["spec.parallelism.tensor"]),
    ({"parallelism": {"tensor": 2}}, ("--tensor-parallel-size=1",), {}, ["spec.parallelism.tensor"]),
    ({"parallelism": {"expert": False}}, ("--enable-expert-parallel",), {}, ["spec.parallelism.expert"]),
    ({"parallelism": {"expert": True}}, ("--no-enable-expert-parallel",), {}, ["expert: false"]),
    ({}, ("--port", "9000"), {}, ["8000"]),
    ({}, ("--port=9000",), {}, ["8000"]),
    ({}, ("--served-model-name", "other"), {}, ["publishers/llm/models/tiny", "model: {name: other}"]),
    ({}, ("--served-model-name", "tiny"), {}, ["only one"]),
    ({}, ("--ssl-certfile", "/x"), {}, ["HTTPS", "platform: {tls: true}"]),
    ({"model": {"uri": "hf://a/b", "lora": {"maxRank": 8, "adapters": [{"name": "x", "uri": "hf://a/c"}]}}},
     ("--max-lora-rank", "16"), {}, ["spec.model.lora.maxRank", "maxRank: 16"]),
    ({"template": engine(gpus=1)}, ("--tensor-parallel-size", "2"), {}, ["over 2 GPUs", "asks for 1"]),
    ({"template": engine(gpus=2)}, ("-tp", "2", "-pp", "2"), {}, ["2 × 2 stages = 4 GPUs", "asks for 2"]),
    ({"template": engine(gpus=2)}, ("--data-parallel-size", "4"), {}, ["= 4 GPUs", "asks for 2"]),
]  # fmt: skip


def with_words(spec: dict[str, Any], words: tuple[str, ...], way: str) -> dict[str, Any]:
    """The words among the arguments of the spec's engine, or in its variable."""
    template = spec.get("template") or engine()
    (container,) = template["containers"]
    more = {"args": list(words)} if way == "args" else variable(" ".join(words))
    return {**spec, "template": {"containers": [{**container, **more}]}}


@about("V7", "aibrix#1086")
@pytest.mark.parametrize("way", ["args", "variable"])
@pytest.mark.parametrize(("spec", "words", "config", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_a_flag_against_a_field_or_against_the_route_is_refused(
    spec: dict[str, Any], words: tuple[str, ...], config: dict[str, Any], says: list[str], way: str
) -> None:
    (error,) = plan_of(service(with_words(spec, words, way)), platform=PLATFORM, **config).errors
    place = "args[0]" if way == "args" else f"env[{MORE}].value"
    assert (error.code, error.path) == ("LOCO-VALUE", f"spec.template.containers[main].{place}")
    assert all(word in f"{error.message}; {error.cure}" for word in says), str(error)


@about("V7")
@pytest.mark.parametrize(
    ("spec", "words", "config"),
    [
        ({"parallelism": {"tensor": 2}}, ("--tensor-parallel-size", "2"), {}),
        ({"parallelism": {"expert": True}}, ("--enable-expert-parallel",), {}),
        ({}, ("--port", "8000"), {}),
        ({}, ("--served-model-name", "more", "tiny", "publishers/llm/models/tiny"), {}),
        ({}, ("--ssl-keyfile", "/x"), {"platform": {"tls": True}}),
        ({"template": engine(gpus=2)}, ("--tensor-parallel-size", "2"), {}),
        ({"template": engine(gpus=2)}, ("--tensor-parallel-size", "$(TP)"), {}),
        ({}, ("--max-num-seqs", "4"), {}),
    ],
)
def test_a_flag_that_agrees_is_none(spec: dict[str, Any], words: tuple[str, ...], config: dict[str, Any]) -> None:
    for way in ("args", "variable"):
        assert not plan_of(service(with_words(spec, words, way)), **{"platform": PLATFORM, **config}).errors


@about("V7")
def test_flags_of_a_command_of_the_users_own_are_theirs() -> None:
    """What it listens at and serves nobody can tell by a flag."""
    own = engine(command=["sim"], args=["--port", "9000", "--served-model-name", "x"])
    assert not plan_of(service({"template": own}), platform=PLATFORM).errors


@about("V7")
def test_decode_listens_behind_its_sidecar() -> None:
    spec = {"prefill": {}, "router": {"route": {}, "scheduler": {}}}
    for port, refused in (("8001", False), ("8000", True)):
        errors = plan_of(service({**spec, "template": engine("--port", port)}), platform=PLATFORM).errors
        assert bool(errors) is refused


@about("V7")
@pytest.mark.parametrize("flag", ["--node-rank", "--data-parallel-start-rank", "--data-parallel-address", "-dpa"])
def test_one_value_for_all_pods_of_a_replica_is_refused(flag: str) -> None:
    group = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": engine(flag, "0")}
    (error,) = plan_of(service(group)).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.worker.containers[main].args[0]")
    typed = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": engine("--data-parallel-size-local", "4")}
    (error,) = plan_of(service(typed)).errors
    assert "spec.parallelism.dataLocal, which is 2" in error.message


@about("T35")
def test_the_services_additional_arguments_take_the_place_of_a_bases() -> None:
    """The whole text: what stands in it is loco's to read, and not to merge."""
    lower = base({"template": engine(**variable("--tensor-parallel-size 2 --seed 1"))})
    spec = {"baseRefs": [{"name": "base"}], "template": engine(**variable("--seed 2"))}
    plan = plan_of(service(spec), lower)
    assert not plan.errors
    env = templates(plan, "chat-kserve")["pod"]["spec"]["containers"][0]["env"]
    assert [v["value"] for v in env if v["name"] == MORE] == ["--seed 2"]
    assert shared_memory(plan) == "1Gi"
    written = [leaf for _, leaf in leaves(plan.resolved[0].tree) if isinstance(leaf, Leaf) and leaf.value == "--seed 2"]
    assert [leaf.origin.layer for leaf in written] == ["service"]
    assert isinstance(written[0].overrode, Leaf)
    assert written[0].overrode.value == "--tensor-parallel-size 2 --seed 1"


def test_words_are_read_as_the_script_and_vllm_read_them() -> None:
    container = {
        "command": ["--tensor-parallel-size", "9"],
        "args": ["--a", '\'{"x": "--b"}\'', "--c=1=2", "-tp", "2", "--no-d", "-1", "--c", "3"],
        "env": [
            {"name": MORE, "value": "--served-model-name 'two words' b --a first"},
            {"name": "OTHER", "value": "--z"},
        ],
    }
    flags = given_flags(container, script=True)
    assert {name: flag.values for name, flag in flags.items()} == {
        "a": ('{"x": "--b"}',),
        "c": ("3",),
        "tensor-parallel-size": ("2",),
        "no-d": ("-1",),
        "served-model-name": ("two words", "b"),
    }
    assert flags["served-model-name"].where == ("env", 0, "value")
    assert given_flags({"command": ["vllm serve --port 1"]}, script=False)["port"].values == ("1",)
    assert given_flags({"args": ["it's --x 1"]}, script=False)["x"].values == ("1",)
