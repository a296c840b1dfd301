"""What scales a gateway: by which metrics, through which object, and never two of them."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import external, found, gateway, one, plan_of

PROMETHEUS = {"monitoring": {"prometheus": "http://prometheus:9090"}}
PUBLISHED = {"extraConfig": {"litellm_settings": {"callbacks": ["prometheus"]}}}
TRIGGER = {
    "type": "cron",
    "metadata": {"timezone": "UTC", "start": "0 8 * * *", "end": "0 18 * * *", "desiredReplicas": "4"},
}
QUERY = 'sum(litellm_in_flight_requests{namespace="llm",pod=~"main-litellm-[a-z0-9]+-[a-z0-9]+"})'


def planned(scaling: dict[str, Any], platform: dict[str, Any] | None = None, **spec: Any) -> Plan:
    written = {"autoscaling": {"maxReplicas": 5, **scaling}, **spec}
    return plan_of(external(), gateway(written), platform=platform or {})


def metrics(scaling: dict[str, Any]) -> list[dict[str, Any]]:
    plan = planned(scaling)
    assert not plan.errors
    found: list[dict[str, Any]] = one(plan, "HorizontalPodAutoscaler").data["spec"]["metrics"]
    return found


def by_cpu(percent: int) -> dict[str, Any]:
    return {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}},
    }


IN_FLIGHT = {
    "type": "Pods",
    "pods": {
        "metric": {"name": "litellm_in_flight_requests"},
        "target": {"type": "AverageValue", "averageValue": "40"},
    },
}


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [
        ({}, [by_cpu(70)]),
        ({"cpuUtilization": 50}, [by_cpu(50)]),
        ({"requestsInFlight": 40}, [IN_FLIGHT]),
        ({"cpuUtilization": 50, "requestsInFlight": 40}, [by_cpu(50), IN_FLIGHT]),
    ],
)
def test_metrics_of_the_autoscaler(scaling: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    assert metrics(scaling) == expected


def scaled_object(scaling: dict[str, Any], keda: dict[str, Any] | None = None) -> dict[str, Any]:
    plan = planned({**scaling, "keda": keda or {}}, PROMETHEUS, **PUBLISHED)
    assert not plan.findings, "\n".join(map(str, plan.findings))
    assert not [manifest for manifest in plan.manifests if manifest.id.kind == "HorizontalPodAutoscaler"]
    return dict(one(plan, "ScaledObject", "main-litellm-keda").data["spec"])


@pytest.mark.parametrize(
    ("scaling", "keda", "triggers"),
    [
        ({}, {}, [{"type": "cpu", "metricType": "Utilization", "metadata": {"value": "70"}}]),
        (
            {"requestsInFlight": 40},
            {},
            [
                {
                    "type": "prometheus",
                    "name": "requests-in-flight",
                    "metadata": {"serverAddress": "http://prometheus:9090", "query": QUERY, "threshold": "40"},
                }
            ],
        ),
        ({}, {"triggers": [TRIGGER]}, [TRIGGER]),
        (
            {"cpuUtilization": 50},
            {"triggers": [TRIGGER]},
            [{"type": "cpu", "metricType": "Utilization", "metadata": {"value": "50"}}, TRIGGER],
        ),
    ],
)
def test_triggers_of_keda(scaling: dict[str, Any], keda: dict[str, Any], triggers: list[Any]) -> None:
    assert scaled_object(scaling, keda) == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "main-litellm"},
        "minReplicaCount": 2,
        "maxReplicaCount": 5,
        "triggers": triggers,
    }


def test_more_of_keda() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    keda = {"pollingInterval": 15, "fallback": {"failureThreshold": 3, "replicas": 4}}
    spec = scaled_object({"behavior": behavior, "requestsInFlight": 8}, keda)
    assert spec["pollingInterval"] == 15
    assert spec["fallback"] == {"failureThreshold": 3, "replicas": 4}
    assert spec["advanced"] == {"horizontalPodAutoscalerConfig": {"behavior": behavior}}


@pytest.mark.parametrize(
    ("scaling", "path"),
    [
        ({"keda": {"fallback": {"failureThreshold": 3, "replicas": 4}}}, ".keda.fallback"),
        (
            {"keda": {"fallback": {"failureThreshold": 3, "replicas": 4}, "triggers": [{**TRIGGER, "type": "cpu"}]}},
            ".keda.fallback",
        ),
        (
            {"keda": {"fallback": {"failureThreshold": 3, "replicas": 6}}, "requestsInFlight": 1},
            ".keda.fallback.replicas",
        ),
        ({"keda": {"triggers": [{**TRIGGER, "name": "a"}, {**TRIGGER, "name": "a"}]}}, ".keda.triggers"),
        ({"keda": {"triggers": [{**TRIGGER, "name": "requests-in-flight"}]}, "requestsInFlight": 1}, ".keda.triggers"),
        ({"keda": {"triggers": [{**TRIGGER, "name": ""}]}}, ".keda.triggers[0].name"),
        (
            {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 3601}}},
            ".behavior.scaleDown.stabilizationWindowSeconds",
        ),
        ({"behavior": {"scaleUp": {"policies": []}}}, ".behavior.scaleUp.policies"),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 0, "periodSeconds": 60}]}}},
            ".behavior.scaleUp.policies[0].value",
        ),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 1801}]}}, "keda": {}},
            ".behavior.scaleUp.policies[0].periodSeconds",
        ),
    ],
)
def test_what_an_autoscaler_would_not_take(scaling: dict[str, Any], path: str) -> None:
    errors = planned(scaling, PROMETHEUS, **PUBLISHED).errors
    assert [(error.code, error.path) for error in errors] == [("LOCO-VALUE", f"spec.autoscaling{path}")]


def test_keda_signs_in_to_prometheus() -> None:
    monitoring = {
        "prometheus": "https://p",
        "tlsInsecureSkipVerify": True,
        "authModes": "bearer",
        "triggerAuthName": "prom",
    }
    plan = planned({"requestsInFlight": 1, "keda": {}}, {"monitoring": monitoring}, **PUBLISHED)
    (trigger,) = one(plan, "ScaledObject").data["spec"]["triggers"]
    assert trigger["authenticationRef"] == {"name": "prom"}
    assert trigger["metadata"].items() >= {"authModes": "bearer", "unsafeSsl": "true"}.items()


@pytest.mark.parametrize("scaling", [{}, {"keda": {}}])
def test_replicas_are_left_alone_and_one_kind_takes_the_others_place(scaling: dict[str, Any]) -> None:
    plan = planned(scaling, PROMETHEUS)
    deployment = one(plan, "Deployment")
    assert "replicas" not in deployment.data["spec"]
    assert deployment.ignore_changes == ("spec.replicas",)
    kinds = {"HorizontalPodAutoscaler", "ScaledObject"}
    (made,) = (manifest for manifest in plan.manifests if manifest.id.kind in kinds)
    (other,) = made.takes_over
    assert {made.id.kind, other.kind} == kinds
    assert made.name != other.name, "the engine would take it for the same object otherwise"


def test_keda_must_know_prometheus() -> None:
    (error,) = planned({"requestsInFlight": 40, "keda": {}}, **PUBLISHED).errors
    assert (error.code, error.path) == ("LOCO-CONFIG", "platform.monitoring.prometheus")
    assert not planned({"keda": {}}).errors, "for CPU it asks nobody"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (None, True),
        ({"callbacks": ["otel"]}, True),
        ({"callbacks": ["otel", "prometheus"]}, False),
        ({"success_callback": ["prometheus"]}, False),
    ],
)
def test_metric_that_nobody_publishes_is_told(settings: dict[str, Any] | None, told: bool) -> None:
    more = {"extraConfig": {"litellm_settings": settings}} if settings else {}
    plan = planned({"requestsInFlight": 40}, None, **more)
    assert not plan.errors
    warned = found(plan, "LOCO-NO-EFFECT", "warning")
    assert [warning.path for warning in warned] == (["spec.autoscaling.requestsInFlight"] if told else [])
    assert all("metrics: {} in the stack's Observability document" in warning.cure for warning in warned)


@pytest.mark.parametrize("settings", ["text", {"callbacks": 1}, {"callbacks": {"prometheus": 1}}])
def test_settings_of_another_form_are_errors_of_their_own(settings: Any) -> None:
    plan = planned({"requestsInFlight": 40}, None, extraConfig={"litellm_settings": settings})
    assert {error.path.rpartition(".")[0] for error in plan.errors} <= {
        "spec.extraConfig",
        "spec.extraConfig.litellm_settings",
    }


@pytest.mark.parametrize(
    ("scaling", "path"),
    [
        ({"requestsInFlight": 0}, "spec.autoscaling.requestsInFlight"),
        ({"minReplicas": 0}, "spec.autoscaling.minReplicas"),
        ({"keda": {"triggers": [{"metadata": {}}]}}, "spec.autoscaling.keda.triggers[0].type"),
        ({"keda": {"triggers": [{"type": "cron"}]}}, "spec.autoscaling.keda.triggers[0].metadata"),
        ({"keda": {"fallback": {"replicas": 1}}}, "spec.autoscaling.keda.fallback.failureThreshold"),
        (
            {"keda": {"triggers": [{**TRIGGER, "authenticationRef": {"kind": "TriggerAuthentication"}}]}},
            "spec.autoscaling.keda.triggers[0].authenticationRef.name",
        ),
    ],
)
def test_scaling_that_is_refused(scaling: dict[str, Any], path: str) -> None:
    assert [(error.code, error.path) for error in planned(scaling).errors] == [("LOCO-VALUE", path)]
