"""GPUs among all engines of a service: pods without any, devices that nothing uses, KV blocks that go nowhere."""

from typing import Any

import pytest

from loco.model import Finding
from loco.plan import Plan
from tests.plan.stacks import found, one, plan_of, planned, service
from tests.workloads.topologies import GROUPS, MAIN, PREFILL, engine, main_of, templates

CODE = "LOCO-ACCELERATOR"
SPREAD = {"data": 16, "dataLocal": 8}
ROUTER = {"scheduler": {}}
CPU_IMAGE = "registry/vllm-cpu-release-repo:v1"


def told(spec: dict[str, Any], **config: Any) -> list[Finding]:
    return found(plan_of(service(spec), **config), CODE)


def like(gpus: int, resource: str = "nvidia.com/gpu") -> str:
    return f"{{containers: [{{name: main, resources: {{limits: {{{resource}: {gpus}}}}}}}]}}"


# The spec; for each finding its severity, path and cure.
LEFT_OUT: dict[str, tuple[dict[str, Any], list[tuple[str, str, str]]]] = {
    "a worker without": (
        {"parallelism": SPREAD, "template": engine(8), "worker": {}},
        [("error", "spec.worker", f"worker: {like(8)}")],
    ),
    "a leader without": (
        {"parallelism": SPREAD, "worker": engine(8)},
        [("error", "spec.template", f"template: {like(8)}")],
    ),
    "a stage without": (
        {"parallelism": {"pipeline": 2, "tensor": 4}, "template": engine(4), "worker": {}},
        [("error", "spec.worker", f"worker: {like(4)}")],
    ),
    "prefill without": (
        {"template": engine(2), "parallelism": {"tensor": 2}, "prefill": {}},
        [("error", "spec.prefill", f"prefill: {{parallelism: {{tensor: 2}}, template: {like(2)}}}")],
    ),
    "prefill with its own spread": (
        {"template": engine(2), "parallelism": {"tensor": 2}, "prefill": {"parallelism": {"tensor": 1}}},
        [("error", "spec.prefill", f"prefill: {{template: {like(2)}}}")],
    ),
    "decode without": (
        {"prefill": {"template": engine(1)}},
        [("error", "spec.template", f"template: {like(1)}")],
    ),
    "a group of prefill without": (
        {"template": engine(1), "prefill": {"parallelism": {"data": 2, "dataLocal": 1}, "worker": {}}},
        [("error", "spec.prefill", f"prefill: {{template: {like(1)}, worker: {like(1)}}}")],
    ),
    "a command of one's own": (
        {"parallelism": SPREAD, "template": engine(0, command=["ray", "start"]), "worker": engine(8)},
        [("warning", "spec.template", f"template: {like(8)}")],
    ),
    "none anywhere": ({"prefill": {}}, []),
    "a group with": ({"parallelism": SPREAD, "template": engine(8), "worker": engine(8)}, []),
    "a pair with": ({"template": engine(1), "prefill": {"template": engine(1)}}, []),
    "a vendor that nobody knows": (
        {
            "template": engine(1),
            "prefill": {"template": {"containers": [{"name": "main", "resources": {"limits": {"npu.x/chip": 1}}}]}},
        },
        [],
    ),
}


@pytest.mark.parametrize("case", LEFT_OUT)
@pytest.mark.parametrize("profile", ["safe", "kserve"])
def test_engines_without_beside_others_with(case: str, profile: str) -> None:
    spec, expected = LEFT_OUT[case]
    findings = told({"router": ROUTER, **spec}, profile=profile)
    assert [(finding.severity, finding.path, finding.cure) for finding in findings] == expected
    for finding in findings:
        assert finding.origin is not None
        assert not finding.origin.layer.startswith("preset:")


def test_what_a_roll_needs_is_not_told_before_every_pod_has_its_gpus() -> None:
    lacking = plan_of(service({"parallelism": SPREAD, "template": engine(8), "worker": {}, "replicas": 1}))
    assert [finding.code for finding in lacking.findings] == [CODE]


def test_claimed_devices_count() -> None:
    annotations = {"serving.kserve.io/exp-dra-device-class": "gpu.nvidia.com"}
    spread = {"parallelism": {"data": 2, "dataLocal": 1}, "worker": {}}
    assert not found(plan_of(service(spread, annotations=annotations)), CODE)
    claim = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]}
    (error,) = told({**spread, "template": claim})
    assert (error.path, error.severity) == ("spec.worker", "error")
    assert "the devices that spec.template asks for or claims" in error.cure


def limits(gpus: int, resource: str = "nvidia.com/gpu", **fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "resources": {"limits": {resource: gpus}}, **fields}]}


MORE = "VLLM_ADDITIONAL_ARGS"
# The spec, and words of the warning with its cure; None for none.
IDLE: dict[str, tuple[dict[str, Any], str | None]] = {
    "no parallelism": ({"template": limits(2)}, "1 of 2 GPUs is used; parallelism: {tensor: 2}, or nvidia.com/gpu: 1"),
    "half of them": (
        {"template": limits(8), "parallelism": {"tensor": 4}},
        "4 of 8 GPUs are used; parallelism: {tensor: 8}, or nvidia.com/gpu: 4",
    ),
    "all of them": ({"template": limits(8), "parallelism": {"tensor": 8}}, None),
    "another vendor": ({"template": limits(2, "amd.com/gpu")}, "parallelism: {tensor: 2}, or amd.com/gpu: 1"),
    "by a flag": ({"template": limits(2, args=["--tensor-parallel-size", "2"])}, None),
    "by a short flag": ({"template": limits(2, args=["-tp=2"])}, None),
    "by the variable": ({"template": limits(4, env=[{"name": MORE, "value": "--data-parallel-size 4"}])}, None),
    "too few by a flag": (
        {"template": limits(4, args=["--tensor-parallel-size=2"])},
        "2 of 4 GPUs are used; --tensor-parallel-size 4, or nvidia.com/gpu: 2",
    ),
    "ranks by a flag": (
        {"template": limits(4, args=["--data-parallel-size=2"])},
        "2 of 4 GPUs are used; parallelism: {tensor: 2}, or nvidia.com/gpu: 2",
    ),
    "a flag that is a variable": ({"template": limits(2, args=["--tensor-parallel-size=$(TP)"])}, None),
    "a file of flags": ({"template": limits(2, args=["--config", "/c.yaml"])}, None),
    "flags from elsewhere": (
        {"template": limits(2, env=[{"name": MORE, "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}])},
        None,
    ),
    "a command of one's own": ({"template": limits(2, command=["serve"])}, None),
    "ranks of a group": (
        {"parallelism": {"data": 2, "dataLocal": 1}, "template": limits(8), "worker": limits(8)},
        "1 of 8 GPUs is used; parallelism: {tensor: 8}, dataLocal: 8, or nvidia.com/gpu: 1",
    ),
    "stages of a group": ({"parallelism": {"pipeline": 2}, "template": limits(1), "worker": limits(1)}, None),
}


@pytest.mark.parametrize("case", IDLE)
def test_gpus_that_nothing_uses(case: str) -> None:
    spec, words = IDLE[case]
    findings = told(spec)
    assert bool(findings) is (words is not None)
    for finding in findings:
        assert finding.severity == "warning"
        assert words is not None
        assert words in f"{finding.message}; {finding.cure}"
        assert ".containers[main].resources.limits" in finding.path
    assert len(findings) <= (2 if "worker" in spec else 1)


@pytest.mark.parametrize("side", ["spec.template", "spec.prefill.template"])
def test_of_either_side(side: str) -> None:
    spec = {"router": ROUTER, "template": engine(1), "prefill": {"template": engine(1)}}
    (spec if side == "spec.template" else spec["prefill"])["template"] = engine(2)  # type: ignore[index]
    (finding,) = told(spec)
    assert finding.path.startswith(side)


@pytest.mark.parametrize(
    ("spec", "processes"),
    [
        ({"parallelism": {"tensor": 2}}, 2),
        ({"template": engine(0, args=["--tensor-parallel-size", "4"])}, 4),
        ({"parallelism": {"tensor": 2}, "template": engine(0, image=CPU_IMAGE)}, None),
        ({"parallelism": {"tensor": 2}, "template": engine(0, image=f"{CPU_IMAGE}@sha256:{'c' * 64}")}, None),
        ({"parallelism": {"tensor": 1}}, None),
        ({}, None),
    ],
)
def test_a_spread_without_any_accelerator(spec: dict[str, Any], processes: int | None) -> None:
    findings = told(spec)
    assert [(finding.severity, finding.path) for finding in findings] == (
        [("warning", "spec.template.containers[main].resources")] if processes else []
    )
    assert all(f"nvidia.com/gpu: {processes}" in finding.cure for finding in findings)


def test_a_gap_counts_every_pod_of_a_group() -> None:
    spec = {"parallelism": SPREAD, "template": engine(8), "worker": engine(8), "replicas": 1}
    (gap,) = found(planned(spec), "LOCO-ROLLOUT-GAP")
    assert "needs 16 GPUs" in gap.message


NIXL = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'
OTHER = '{"kv_connector":"MooncakeConnector","kv_role":"kv_both"}'
TIERS = '{"kv_connector":"OffloadingConnector","kv_role":"kv_both"}'


def pair(decode: dict[str, Any], prefill: dict[str, Any], gpus: int = 1, profile: str = "safe") -> Plan:
    spec = {"router": ROUTER, "template": engine(gpus, **decode), "prefill": {"template": engine(gpus, **prefill)}}
    return planned(spec, profile=profile)


def flag(text: str) -> dict[str, Any]:
    return {"args": ["--kv-transfer-config", text]}


# What decode and prefill are told, and the side that lacks it.
HANDOVER: dict[str, tuple[dict[str, Any], dict[str, Any], str, str | None]] = {
    "both by loco": ({}, {}, "safe", None),
    "one by hand, the other by loco": ({}, flag(NIXL), "safe", None),
    "one by hand, the other by nobody": ({}, flag(NIXL), "kserve", "spec.template"),
    "the other one by hand": (flag(NIXL), {}, "kserve", "spec.prefill.template"),
    "with another spelling": (
        flag(NIXL),
        {"env": [{"name": MORE, "value": f"--kv_transfer_config '{NIXL}'"}]},
        "kserve",
        None,
    ),
    "with dots": (flag(NIXL), {"args": ["--kv-transfer-config.kv_connector", "NixlConnector"]}, "kserve", None),
    "another connector": (flag(OTHER), {}, "safe", "spec.template"),
    "the other side's is another": ({}, flag(OTHER), "safe", "spec.template"),
    "tiers alone": (flag(TIERS), {}, "safe", "spec.template"),
    "neither": ({}, {}, "kserve", None),
    "from elsewhere": (flag("$(KV)"), {}, "safe", None),
    "a command that names no flags": ({"command": ["/start"]}, {}, "safe", None),
    "a command without": ({"command": ["vllm", "serve"]}, {}, "safe", "spec.template"),
    "a command with": ({"command": ["vllm", "serve", "--kv-transfer-config", NIXL]}, {}, "safe", None),
}


@pytest.mark.parametrize("case", HANDOVER)
def test_blocks_that_go_nowhere(case: str) -> None:
    decode, prefill, profile, lacking = HANDOVER[case]
    findings = found(pair(decode, prefill, profile=profile), "LOCO-KV-TRANSFER", "warning")
    assert [finding.path.partition(".containers")[0] for finding in findings] == [lacking] * bool(lacking)
    for finding in findings:
        assert "NixlConnector" in finding.message
        assert ("doesn't" in finding.message) is ("another" not in case)


def test_a_pair_on_cpus_hands_over_nothing_and_is_well() -> None:
    plan = pair({}, {}, gpus=0)
    assert not found(plan, "LOCO-KV-TRANSFER")
    assert not found(plan, CODE)


def test_the_cure_of_prefill_works() -> None:
    """What the finding says to write gives prefill its GPUs, and both sides NIXL."""
    two = {"parallelism": {"tensor": 2}, "template": engine(2)}
    plan = planned({**two, "router": ROUTER, "prefill": two, "replicas": 2})
    assert not found(plan, CODE)
    for name in (MAIN, PREFILL):
        container = main_of(templates(plan, name)["pod"])
        assert container["resources"]["limits"] == {"nvidia.com/gpu": 2}
        assert "NixlConnector" in " ".join(container["command"])
        assert "--tensor-parallel-size 2" in " ".join(container["command"])


@pytest.mark.parametrize(
    ("spec", "paths"),
    [
        ({"template": {"containers": [{"name": "main", "readinessProbe": None}]}}, ["spec.template"]),
        ({"parallelism": SPREAD, "template": engine(8), "worker": engine(8)}, []),  # its workers have none
        (
            {"prefill": {"template": {"containers": [{"name": "main", "readinessProbe": None}]}}},
            ["spec.prefill.template"],
        ),
        ({}, []),
    ],
)
def test_an_engine_that_nobody_asks_whether_it_is_ready(spec: dict[str, Any], paths: list[str]) -> None:
    warnings = [
        warning for warning in found(plan_of(service(spec)), "LOCO-PROBE") if warning.path.endswith("readinessProbe")
    ]
    assert [warning.path for warning in warnings] == [f"{path}.containers[main].readinessProbe" for path in paths]
    assert all("port: 800" in warning.cure for warning in warnings)


def test_groups_are_as_large_as_told() -> None:
    plan = planned({"parallelism": SPREAD, "template": engine(8), "worker": engine(8)})
    assert one(plan, "LeaderWorkerSet", GROUPS).data["spec"]["leaderWorkerTemplate"]["size"] == 2
