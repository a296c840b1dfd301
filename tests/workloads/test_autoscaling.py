"""What scales a workload: by mode and actuator, for each side, and what must be known for it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

from loco.model import Manifest
from loco.plan import Plan
from loco.spec.scaling import Scaling
from tests.plan.stacks import found, one, plan_of, planned, service

GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
GROUPS = {"worker": GPU, "template": GPU, "parallelism": {"data": 2, "dataLocal": 1}}
MONITORING: dict[str, Any] = {"monitoring": {"prometheus": "http://p:9090", "peers": [{"namespace": "monitoring"}]}}
TRIGGERS = [{"type": "prometheus", "metadata": {"serverAddress": "http://p", "query": "q", "threshold": "5"}}]
KINDS = ("HorizontalPodAutoscaler", "ScaledObject")


def scaled(least: int | None = None, most: int = 4, **mode: Any) -> dict[str, Any]:
    scaling = {"maxReplicas": most, **mode, **({"minReplicas": least} if least else {})}
    return {"scaling": scaling}


def autoscalers(plan: Plan) -> list[Manifest]:
    return [manifest for manifest in plan.manifests if manifest.id.kind in KINDS]


HPA, WVA_KEDA, DIRECT = {"wva": {"hpa": {}}}, {"wva": {"keda": {}}}, {"keda": {"triggers": TRIGGERS}}


@pytest.mark.parametrize(
    ("spec", "kind", "name", "target"),
    [
        (scaled(**HPA), KINDS[0], "chat-kserve-hpa", ("apps/v1", "Deployment", "chat-kserve")),
        (scaled(**WVA_KEDA), KINDS[1], "chat-kserve-keda", ("apps/v1", "Deployment", "chat-kserve")),
        (scaled(**DIRECT), KINDS[1], "chat-kserve-keda", ("apps/v1", "Deployment", "chat-kserve")),
        (
            {**scaled(**HPA), **GROUPS},
            KINDS[0],
            "chat-kserve-hpa",
            ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat-kserve-mn"),
        ),
        (
            {"prefill": scaled(**HPA)},
            KINDS[0],
            "chat-kserve-prefill-hpa",
            ("apps/v1", "Deployment", "chat-kserve-prefill"),
        ),
        (
            {"prefill": {**scaled(**DIRECT), **GROUPS}, "template": GPU},
            KINDS[1],
            "chat-kserve-prefill-keda",
            ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat-kserve-mn-prefill"),
        ),
    ],
)
def test_kind_name_and_target(spec: dict[str, Any], kind: str, name: str, target: tuple[str, str, str]) -> None:
    plan = planned(spec, platform=MONITORING)
    (autoscaler,) = autoscalers(plan)
    assert (autoscaler.id.kind, autoscaler.name) == (kind, name)
    reference = autoscaler.data["spec"]["scaleTargetRef"]
    assert (reference["apiVersion"], reference["kind"], reference["name"]) == target
    (workload,) = (manifest for manifest in plan.manifests if (manifest.id.kind, manifest.name) == target[1:])
    assert workload.id.api_version == target[0]
    assert "replicas" not in workload.data["spec"]
    assert "spec.replicas" in workload.ignore_changes
    order = [manifest.id for manifest in plan.manifests]
    assert order.index(workload.id) < order.index(autoscaler.id)


def test_both_sides_have_one_each() -> None:
    plan = planned({**scaled(**HPA), "prefill": scaled(**HPA)})
    assert [autoscaler.name for autoscaler in autoscalers(plan)] == ["chat-kserve-hpa", "chat-kserve-prefill-hpa"]
    for autoscaler in autoscalers(plan):
        (metric,) = autoscaler.data["spec"]["metrics"]
        assert metric["external"]["metric"]["selector"] == {"matchLabels": {"variant_name": autoscaler.name}}


@pytest.mark.parametrize(("least", "expected"), [(None, 1), (2, 2)])
def test_bounds(least: int | None, expected: int) -> None:
    (hpa,) = autoscalers(planned(scaled(least, **HPA)))
    assert (hpa.data["spec"]["minReplicas"], hpa.data["spec"]["maxReplicas"]) == (expected, 4)
    (keda,) = autoscalers(planned(scaled(least, **DIRECT)))
    assert (keda.data["spec"]["minReplicaCount"], keda.data["spec"]["maxReplicaCount"]) == (expected, 4)


BEHAVIOR = {"scaleDown": {"stabilizationWindowSeconds": 600}}
KEDA = {
    "pollingInterval": 5,
    "cooldownPeriod": 0,
    "initialCooldownPeriod": 30,
    "idleReplicaCount": 0,
    "fallback": {"failureThreshold": 3, "replicas": 2},
    "advanced": {"restoreToOriginalReplicaCount": True, "horizontalPodAutoscalerConfig": {"behavior": BEHAVIOR}},
}


@pytest.mark.parametrize("mode", ["wva", "direct"])
def test_what_is_written_for_keda_is_kept(mode: str) -> None:
    scaling = {"wva": {"keda": KEDA}} if mode == "wva" else {"keda": {**KEDA, "triggers": TRIGGERS}}
    (scaled_object,) = autoscalers(planned(scaled(2, **scaling), platform=MONITORING))
    assert KEDA.items() <= scaled_object.data["spec"].items()


def test_behavior_of_the_hpa() -> None:
    (hpa,) = autoscalers(planned(scaled(wva={"hpa": {"behavior": BEHAVIOR}})))
    assert hpa.data["spec"]["behavior"] == BEHAVIOR


ACCELERATOR = "inference.optimization/acceleratorName"


@pytest.mark.parametrize(
    ("spec", "labels", "annotations"),
    [
        (scaled(**HPA), {ACCELERATOR: "unknown"}, ("tiny", "10.0")),
        (scaled(**WVA_KEDA), {ACCELERATOR: "unknown"}, ("tiny", "10.0")),
        ({**scaled(**HPA), "labels": {ACCELERATOR: "H100"}}, {ACCELERATOR: "H100"}, ("tiny", "10.0")),
        (scaled(wva={"hpa": {}, "variantCost": "2.5"}), {ACCELERATOR: "unknown"}, ("tiny", "2.5")),
        ({**scaled(**HPA), "model": {"uri": "hf://org/x"}}, {ACCELERATOR: "unknown"}, ("hf://org/x", "10.0")),
        (scaled(**DIRECT), {}, None),
    ],
)
def test_what_the_variant_autoscaler_finds_its_objects_by(
    spec: dict[str, Any], labels: dict[str, str], annotations: tuple[str, str] | None
) -> None:
    (autoscaler,) = autoscalers(planned(spec, platform=MONITORING))
    metadata = autoscaler.data["metadata"]
    own = {"component": "llminferenceservice-workload", "name": "chat", "part-of": "llminferenceservice"}
    assert metadata["labels"] == {**{f"app.kubernetes.io/{key}": value for key, value in own.items()}, **labels}
    if annotations is None:
        assert "annotations" not in metadata
    else:
        model, cost = annotations
        expected = {"llm-d.ai/managed": "true", "llm-d.ai/model-id": model, "llm-d.ai/variant-cost": cost}
        assert metadata["annotations"] == expected


@pytest.mark.parametrize(
    ("more", "metadata", "reference"),
    [
        ({}, {"unsafeSsl": "false"}, None),
        ({"tlsInsecureSkipVerify": True}, {"unsafeSsl": "true"}, None),
        (
            {"authModes": "bearer", "triggerAuthName": "prom"},
            {"unsafeSsl": "false", "authModes": "bearer"},
            {"name": "prom"},
        ),
        (
            {"authModes": "bearer", "triggerAuthName": "prom", "triggerAuthKind": "ClusterTriggerAuthentication"},
            {"unsafeSsl": "false", "authModes": "bearer"},
            {"name": "prom", "kind": "ClusterTriggerAuthentication"},
        ),
    ],
)
def test_keda_asks_the_platforms_prometheus(
    more: dict[str, Any], metadata: dict[str, str], reference: dict[str, str] | None
) -> None:
    platform = {"monitoring": {**MONITORING["monitoring"], **more}}
    (scaled_object,) = autoscalers(planned(scaled(**WVA_KEDA), platform=platform))
    query = 'wva_desired_replicas{variant_name="chat-kserve-keda",exported_namespace="llm"}'
    asked = {"serverAddress": "http://p:9090", "query": query, "threshold": "1", **metadata}
    expected: dict[str, Any] = {"type": "prometheus", "name": "wva-desired-replicas", "metadata": asked}
    if reference:
        expected["authenticationRef"] = reference
    assert scaled_object.data["spec"]["triggers"] == [expected]


@pytest.mark.parametrize(
    ("spec", "platform", "code", "path"),
    [
        (scaled(**WVA_KEDA), {}, "LOCO-CONFIG", "platform.monitoring.prometheus"),
        ({"prefill": scaled(**WVA_KEDA)}, {}, "LOCO-CONFIG", "platform.monitoring.prometheus"),
        (scaled(**WVA_KEDA), {"monitoring": {}}, "LOCO-CONFIG", "platform.monitoring.prometheus"),
        (scaled(**HPA), {"monitoring": {"authModes": "bearer"}}, "LOCO-VALUE", "platform.monitoring"),
        (scaled(**HPA), {"monitoring": {"triggerAuthKind": "TriggerAuthentication"}}, "LOCO-VALUE", "platform.monitoring"),
        (scaled(wva={"hpa": {"behaviour": {}}}), {}, "LOCO-UNKNOWN-KEY", "spec.scaling.wva.hpa.behaviour"),
        (
            scaled(wva={"hpa": {"behavior": {"scaledown": {}}}}),
            {},
            "LOCO-UNKNOWN-KEY",
            "spec.scaling.wva.hpa.behavior.scaledown",
        ),
        (scaled(wva={"hpa": {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 3601}}}}), {}, "LOCO-VALUE", "spec.scaling.wva.hpa.behavior.scaleUp.stabilizationWindowSeconds"),
        (scaled(keda={"triggers": TRIGGERS, "advanced": {"horizontalPodAutoscalerConfig": {"behavior": {"scaleUp": {"policies": []}}}}}), {}, "LOCO-VALUE", "spec.scaling.keda.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.policies"),
        (scaled(keda={"triggers": TRIGGERS, "fallback": {"replicas": 1}}), {}, "LOCO-VALUE", "spec.scaling.keda.fallback.failureThreshold"),
        (scaled(keda={"triggers": [{**TRIGGERS[0], "authenticationRef": {}}]}), {}, "LOCO-VALUE", "spec.scaling.keda.triggers[0].authenticationRef.name"),
        (scaled(keda={"triggers": [{"type": "cpu", "metadata": {"value": 70}}]}), {}, "LOCO-TYPE", "spec.scaling.keda.triggers[0].metadata.value"),
        (scaled(keda={"triggers": TRIGGERS, "pollInterval": 3}), {}, "LOCO-UNKNOWN-KEY", "spec.scaling.keda.pollInterval"),
    ],
)  # fmt: skip
def test_what_can_not_work_is_refused(spec: dict[str, Any], platform: dict[str, Any], code: str, path: str) -> None:
    (error,) = plan_of(service(spec), platform=platform).errors
    assert (error.code, error.path) == (code, path)


def test_each_kind_takes_over_from_the_other() -> None:
    (hpa,) = autoscalers(planned(scaled(**HPA)))
    (scaled_object,) = autoscalers(planned(scaled(**DIRECT)))
    assert hpa.takes_over == (scaled_object.id,)
    assert scaled_object.takes_over == (hpa.id,)


def test_nothing_scales_a_service_that_asks_for_nothing_or_is_stopped() -> None:
    assert autoscalers(planned({"replicas": 2})) == []
    stopped = service(scaled(**HPA), annotations={"serving.kserve.io/stop": "true"})
    assert autoscalers(plan_of(stopped)) == []


@pytest.mark.parametrize("golden", ["scaling-hpa", "scaling-keda"])
def test_the_recorded_objects(shared: Path, golden: str) -> None:
    folder = shared / "goldens" / golden
    recorded = json.loads((folder / "expected.json").read_text())
    document = yaml.safe_load((folder / "input.yaml").read_text())
    plan = plan_of(document, namespace=recorded["namespace"], profile="kserve")
    (expected,) = (item for item in recorded["objects"] if item["kind"] in KINDS)
    made = dict(one(plan, expected["kind"]).data)
    assert {**made, "metadata": {**made["metadata"]}} == expected


def test_no_finding_where_all_is_known() -> None:
    platform = {**MONITORING, "clients": [{"namespace": "apps"}]}
    assert not found(planned(scaled(**WVA_KEDA), platform=platform), "LOCO-NETWORK-POLICY")


# Of every field of ``scaling`` two values. Fields of KEDA's stand under both modes.
FIELDS: dict[str, tuple[Any, Any]] = {
    "minReplicas": (2, 3),
    "maxReplicas": (5, 6),
    "wva.variantCost": ("1", "2"),
    "wva.hpa.behavior": (
        {"scaleUp": {"stabilizationWindowSeconds": 1}},
        {"scaleUp": {"stabilizationWindowSeconds": 2}},
    ),
    "keda.triggers": ([{"type": "cpu", "metadata": {}}], [{"type": "memory", "metadata": {}}]),
    "keda.advanced.scalingModifiers.formula": ("a", "b"),
    "keda.advanced.scalingModifiers.target": ("1", "2"),
    "keda.advanced.scalingModifiers.activationTarget": ("1", "2"),
    "keda.advanced.scalingModifiers.metricType": ("Value", "AverageValue"),
    **{
        f"{mode}.{field}": values
        for mode in ("keda", "wva.keda")
        for field, values in {
            "pollingInterval": (1, 2),
            "cooldownPeriod": (1, 2),
            "initialCooldownPeriod": (1, 2),
            "idleReplicaCount": (0, 1),
            "fallback": ({"failureThreshold": 1, "replicas": 1}, {"failureThreshold": 1, "replicas": 2}),
            "advanced.restoreToOriginalReplicaCount": (True, False),
            "advanced.horizontalPodAutoscalerConfig.behavior": ({"scaleUp": {"selectPolicy": "Max"}}, {"scaleUp": {}}),
        }.items()
    },
}


def leaves_of(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every field below ``scaling``, with lists and what Kubernetes or KEDA define as leaves."""
    for name, info in model.model_fields.items():
        here = f"{path}.{info.alias or name}".lstrip(".")
        inner = next((part for part in get_args(info.annotation) if isinstance(part, type)), None)
        whole = here.endswith("fallback") or inner is None or not issubclass(inner, BaseModel)
        yield from [here] if whole else leaves_of(inner, here)


# The name is loco's own to give, and under wva the metric is wva's: rules refuse these.
REFUSED = {
    *(f"{mode}.advanced.horizontalPodAutoscalerConfig.name" for mode in ("keda", "wva.keda")),
    *(f"wva.{field}" for field in FIELDS if "scalingModifiers" in field),
}


def test_every_field_is_in_the_table() -> None:
    assert set(leaves_of(Scaling)) == FIELDS.keys() | REFUSED


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_an_effect(field: str) -> None:
    made = []
    for value in FIELDS[field]:
        scaling: dict[str, Any] = {"minReplicas": 2, "maxReplicas": 4}
        scaling |= {"keda": {"triggers": TRIGGERS}} if field.startswith("keda") else {"wva": {}}
        if scaling.get("wva") is not None:
            scaling["wva"] |= {"keda": {}} if field.startswith("wva.keda") else {"hpa": {}}
        place = scaling
        *parents, last = field.split(".")
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
        (autoscaler,) = autoscalers(planned({"scaling": scaling}, platform=MONITORING))
        made.append(autoscaler.data)
    assert made[0] != made[1]
