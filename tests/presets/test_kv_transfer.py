"""--kv-transfer-config: tiers of the KV cache, and NIXL between prefill and decode."""

import json
from typing import Any

import pytest

from loco.layers.kv_transfer import has_accelerators, kv_transfer_config
from loco.layers.template import _word
from loco.spec.service import KVCacheOffloading, Workload
from tests.presets.layered import DATA, PIPELINE, container, resolved
from tests.presets.stand_in import Run, StandIn

NIXL = {"kv_connector": "NixlConnector", "kv_role": "kv_both"}
GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}
TIERS = {"kvCacheOffloading": {"cpu": "10Gi"}}
DISAGGREGATED = {"template": GPU, "prefill": {"template": GPU}}


def offloading(cpu: int = 10 * 1024**3, **more: Any) -> dict[str, Any]:
    extra = {"cpu_bytes_to_use": cpu, "spec_name": "TieringOffloadingSpec", **more}
    return {"kv_connector": "OffloadingConnector", "kv_connector_extra_config": extra, "kv_role": "kv_both"}


def both(cpu: int = 10 * 1024**3) -> dict[str, Any]:
    connectors = {"connectors": [NIXL, offloading(cpu)]}
    return {"kv_connector": "MultiConnector", "kv_connector_extra_config": connectors, "kv_role": "kv_both"}


def run(stand_in: StandIn, spec: dict[str, Any], word: str = "main", profile: str = "safe", **options: Any) -> Run:
    return stand_in.run_container(container(resolved(spec, profile=profile), word), **options)


def given(run: Run) -> Any:
    """What an engine is told, None where it is told nothing."""
    assert run.argv is not None
    places = [index for index, argument in enumerate(run.argv) if argument.startswith("--kv")]
    assert len(places) <= 1
    return json.loads(run.argv[places[0] + 1]) if places else None


@pytest.mark.parametrize(
    ("kv", "expected"),
    [
        (None, ""),
        ({"cpu": "10Gi"}, offloading()),
        ({"cpu": "1G"}, offloading(10**9)),
        ({"cpu": 1024}, offloading(1024)),
        ({"cpu": "1.5Ki"}, offloading(1536)),
        ({"cpu": "100m"}, offloading(1)),
        ({"cpu": "123456789012345678901"}, offloading(123456789012345678901)),
        ({"cpu": "5Gi", "evictionPolicy": "arc"}, offloading(5 * 1024**3, eviction_policy="arc")),
        ({"cpu": "10Gi", "secondary": []}, offloading()),
        (
            {"cpu": "10Gi", "secondary": [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}]},
            offloading(secondary_tiers=[{"root_dir": "/mnt/kv-cache-0", "type": "fs"}]),
        ),
        (
            {"cpu": "10Gi", "secondary": [{}, {"fileSystem": {"pvc": {"ref": {"name": "c"}}}}]},
            offloading(secondary_tiers=[{"root_dir": "/mnt/kv-cache-1", "type": "fs"}]),
        ),
        # Judged by the spec's rules; here it must only not break.
        ({}, offloading(0)),
        ({"cpu": "much"}, offloading(0)),
    ],
)
def test_text(kv: dict[str, Any] | None, expected: Any) -> None:
    text = kv_transfer_config(KVCacheOffloading.model_validate(kv) if kv is not None else None)
    assert (json.loads(text) if text else "") == expected
    assert text == (json.dumps(expected, separators=(",", ":"), sort_keys=True) if expected else "")


@pytest.mark.parametrize(
    ("resources", "accelerated"),
    [
        ({"limits": {"nvidia.com/gpu": "1"}}, True),
        ({"requests": {"amd.com/gpu": 2}}, True),
        ({"limits": {"cpu": "1", "memory": "1Gi", "rdma/roce_gdr": "1"}}, False),
        ({"limits": {"nvidia.com/gpu": "0"}}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("pod", ["template", "worker"])
def test_accelerators(pod: str, resources: dict[str, Any], accelerated: bool) -> None:
    def asking(name: str) -> Workload:
        return Workload.model_validate({pod: {"containers": [{"name": name, "resources": resources}]}})

    assert has_accelerators(asking("main")) is accelerated
    assert not has_accelerators(asking("other"))
    assert not has_accelerators(Workload())


@pytest.mark.parametrize("profile", ["safe", "kserve"])
@pytest.mark.parametrize("shape", [{}, DATA, PIPELINE])
def test_each_side_has_tiers_of_its_own(stand_in: StandIn, profile: str, shape: dict[str, Any]) -> None:
    spec = {**shape, **TIERS, "prefill": {**shape, "kvCacheOffloading": {"cpu": "1Ki"}}}
    workers = [("worker", 10 * 1024**3), ("prefill worker", 1024)] if shape else []
    for word, cpu in [("main", 10 * 1024**3), ("prefill", 1024), *workers]:
        assert given(run(stand_in, spec, word, profile)) == offloading(cpu)
    assert given(run(stand_in, {**shape, **TIERS, "prefill": shape}, "prefill", profile)) is None


def test_hostile_policy_stays_text(stand_in: StandIn) -> None:
    kv = KVCacheOffloading.model_validate({"cpu": "1Ki", "evictionPolicy": "it's $(HOME) `touch x` $$"})
    engine = container(resolved(TIERS))
    plain = kv_transfer_config(KVCacheOffloading.model_validate({"cpu": "10Gi"}))
    assert plain in engine["command"][2]

    engine["command"][2] = engine["command"][2].replace(_word(plain), _word(kv_transfer_config(kv)))
    assert given(stand_in.run_container(engine)) == offloading(1024, eviction_policy="it's $(HOME) `touch x` $$")


@pytest.mark.parametrize(("version", "knows"), [("0.21.9", False), ("0.22.0", True), ("nightly", False)])
def test_tiers_need_a_vllm_that_knows_them(stand_in: StandIn, version: str, knows: bool) -> None:
    result = run(stand_in, TIERS, version=version)
    assert given(result) == (offloading() if knows else None)
    expected = "" if knows else f"kvCacheOffloading has no effect: vLLM {version} is older than 0.22\n"
    assert result.errors == expected
    # NIXL is older than the tiers, and without it decode would never get what prefill has done.
    result = run(stand_in, {**DISAGGREGATED, **TIERS}, version=version)
    assert given(result) == (both() if knows else NIXL)
    assert result.errors == expected
    result = run(stand_in, DISAGGREGATED, version=version)
    assert (given(result), result.errors) == (NIXL, "")


OWN = '{"kv_connector":"Mine"}'


@pytest.mark.parametrize("spec", [TIERS, DISAGGREGATED, {**DISAGGREGATED, **TIERS}])
@pytest.mark.parametrize("version", ["0.21.0", "0.23.0"])
@pytest.mark.parametrize(
    "main",
    [
        {"args": ["--kv-transfer-config", OWN]},
        {"args": ["--kv_transfer_config", OWN]},
        {"args": [f"--kv-transfer-config={OWN}"]},
        {"args": ["'--kv-transfer-config'", f"'{OWN}'"]},
        {"args": ["--kv-transfer-config.kv_connector", "Mine"]},
        {"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": f"--a 1 --kv-transfer-config '{OWN}'"}]},
        {"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": f"--kv_transfer_config='{OWN}'"}]},
    ],
)
def test_users_own_stands_alone(stand_in: StandIn, spec: dict[str, Any], main: dict[str, Any], version: str) -> None:
    (engine,) = spec.get("template", {"containers": [{"name": "main"}]})["containers"]
    result = run(stand_in, {**spec, "template": {"containers": [{**engine, **main}]}}, version=version)
    assert result.argv is not None
    assert len([a for a in result.argv if a.replace("_", "-").startswith("--kv-transfer")]) == 1
    assert "Mine" in result.argv[-1]
    assert ("kvCacheOffloading has no effect" in result.errors) is ("kvCacheOffloading" in spec)


@pytest.mark.parametrize(
    ("spec", "word", "expected"),
    [
        (DISAGGREGATED, "main", NIXL),
        (DISAGGREGATED, "prefill", NIXL),
        ({**DISAGGREGATED, **TIERS}, "main", both()),
        ({**DISAGGREGATED, **TIERS}, "prefill", NIXL),
        ({"template": GPU}, "main", None),
        ({"prefill": {}}, "main", None),
        ({"template": GPU, "prefill": {}}, "main", NIXL),
        ({"template": GPU, "prefill": {}}, "prefill", None),
        ({**DATA, "worker": GPU, "prefill": {}}, "main", NIXL),
        ({**DATA, "worker": GPU, "prefill": {}}, "worker", NIXL),
        ({"prefill": {**PIPELINE, "template": GPU}}, "prefill worker", NIXL),
    ],
)
def test_nixl_is_for_disaggregated_engines_on_gpus(
    stand_in: StandIn, spec: dict[str, Any], word: str, expected: Any
) -> None:
    assert given(run(stand_in, spec, word)) == expected
    reference = given(run(stand_in, spec, word, "kserve"))
    assert reference == (offloading() if expected == both() else None)


def test_transfer_stands_where_the_reference_has_it(stand_in: StandIn) -> None:
    argv = run(stand_in, {**TIERS, "parallelism": {"tensor": 2}}).argv
    assert argv is not None
    at = argv.index("--kv-transfer-config")
    assert argv[at - 2] == "--shutdown-timeout"
    assert argv[at + 2 :] == ["--tensor-parallel-size", "2"]
