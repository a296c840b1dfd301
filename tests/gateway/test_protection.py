"""What scales, protects and places the gateway's pods."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import found, gateway, one, plan_of, service

SELECTOR = {
    "app.kubernetes.io/component": "litellm-gateway",
    "app.kubernetes.io/name": "main",
    "app.kubernetes.io/part-of": "loco",
}


def planned(spec: dict[str, Any], **config: Any) -> Plan:
    plan = plan_of(service(), gateway(spec), **config)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def mine(plan: Plan, kind: str) -> Any:
    return one(plan, kind, "main-litellm").data["spec"]


def test_drains_take_one_pod_at_a_time() -> None:
    assert mine(planned({}), "PodDisruptionBudget") == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": SELECTOR},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }


def test_autoscaler_takes_the_place_of_replicas() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    plan = planned({"autoscaling": {"maxReplicas": 5, "cpuUtilization": 60, "behavior": behavior}})
    assert mine(plan, "HorizontalPodAutoscaler") == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "main-litellm"},
        "minReplicas": 2,
        "maxReplicas": 5,
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}},
            }
        ],
        "behavior": behavior,
    }
    assert "replicas" not in mine(plan, "Deployment")
    assert one(plan, "Deployment", "main-litellm").ignore_changes == ("spec.replicas",)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"replicas": 2, "autoscaling": {"maxReplicas": 3}}, "spec.replicas"),
        ({"autoscaling": {"minReplicas": 4, "maxReplicas": 3}}, "spec.autoscaling.maxReplicas"),
        ({"autoscaling": {}}, "spec.autoscaling.maxReplicas"),
        ({"autoscaling": {"maxReplicas": 3, "cpuUtilization": 0}}, "spec.autoscaling.cpuUtilization"),
    ],
)
def test_scaling_that_makes_no_sense(spec: dict[str, Any], path: str) -> None:
    assert [(e.code, e.path) for e in plan_of(service(), gateway(spec)).errors] == [("LOCO-VALUE", path)]


def test_nobody_is_kept_out_unless_clients_are_named() -> None:
    assert not [m for m in planned({}).manifests if m.id.kind == "NetworkPolicy" and m.name == "main-litellm"]


def test_clients_alone_and_who_calls_for_them() -> None:
    platform = {
        "gateway": {"name": "shared", "peers": [{"namespace": "envoy"}]},
        "monitoring": {"peers": [{"namespace": "watch", "podLabels": {"a": "b"}}]},
    }
    plan = planned({"clients": [{"namespace": "apps"}, {"cidr": "10.0.0.0/8"}]}, platform=platform)
    policy = mine(plan, "NetworkPolicy")
    assert policy["podSelector"] == {"matchLabels": SELECTOR}
    assert policy["policyTypes"] == ["Ingress"]
    label = "kubernetes.io/metadata.name"
    assert policy["ingress"] == [
        {
            "from": [
                {"namespaceSelector": {"matchLabels": {label: "apps"}}},
                {"ipBlock": {"cidr": "10.0.0.0/8"}},
                {"namespaceSelector": {"matchLabels": {label: "envoy"}}},
                {"namespaceSelector": {"matchLabels": {label: "watch"}}, "podSelector": {"matchLabels": {"a": "b"}}},
            ],
            "ports": [{"port": 4000, "protocol": "TCP"}],
        }
    ]
    ids = [str(manifest.id) for manifest in plan.manifests]
    assert ids.index("NetworkPolicy/llm/main-litellm") < ids.index("Deployment/llm/main-litellm")


def test_pods_are_spread_and_placed() -> None:
    pod = mine(planned({}), "Deployment")["template"]["spec"]
    assert [(each["topologyKey"], each["whenUnsatisfiable"]) for each in pod["topologySpreadConstraints"]] == [
        ("kubernetes.io/hostname", "ScheduleAnyway"),
        ("topology.kubernetes.io/zone", "ScheduleAnyway"),
    ]
    assert all(each["labelSelector"] == {"matchLabels": SELECTOR} for each in pod["topologySpreadConstraints"])
    placement = {
        "resources": {"requests": {"cpu": "1"}},
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "priorityClassName": "high",
        "topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}],
    }
    pod = mine(planned({"placement": placement}), "Deployment")["template"]["spec"]
    assert {**pod, **pod["containers"][0]}.items() >= placement.items()


@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("ghcr.io/berriai/litellm:v1.108.7", False),
        ("litellm@sha256:" + "0" * 64, False),
        ("localhost:5000/litellm:v1", False),
        ("ghcr.io/berriai/litellm", True),
        ("localhost:5000/litellm", True),
        ("ghcr.io/berriai/litellm:latest", True),
        ("ghcr.io/berriai/litellm:main-stable", True),
    ],
)
def test_image_whose_tag_may_move(image: str, told: bool) -> None:
    warnings = found(planned({"image": image}), "LOCO-UNPINNED", "warning")
    assert [warning.path for warning in warnings] == (["spec.image"] if told else [])
