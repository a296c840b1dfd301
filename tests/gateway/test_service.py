"""The Service in front of a gateway: what kind, and what its cloud is told."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import external, gateway, one, plan_of


def planned(service: dict[str, Any] | None) -> Plan:
    return plan_of(external(), gateway({} if service is None else {"service": service}))


def made(service: dict[str, Any] | None) -> dict[str, Any]:
    plan = planned(service)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return dict(one(plan, "Service", "main-litellm").data)


@pytest.mark.parametrize("service", [None, {}, {"type": "ClusterIP"}])
def test_of_the_cluster_alone_unless_asked_for(service: dict[str, Any] | None) -> None:
    assert made(service)["spec"] == {
        "type": "ClusterIP",
        "selector": {
            "app.kubernetes.io/component": "litellm-gateway",
            "app.kubernetes.io/name": "main",
            "app.kubernetes.io/part-of": "loco",
        },
        "ports": [{"name": "http", "port": 4000, "targetPort": "http", "protocol": "TCP", "appProtocol": "http"}],
    }


@pytest.mark.parametrize(
    "service",
    [
        {"type": "NodePort"},
        {"type": "NodePort", "externalTrafficPolicy": "Local"},
        {
            "type": "LoadBalancer",
            "loadBalancerClass": "service.k8s.aws/nlb",
            "loadBalancerSourceRanges": ["203.0.113.0/24"],
            "externalTrafficPolicy": "Local",
        },
    ],
)
def test_of_another_type(service: dict[str, Any]) -> None:
    plain, spec = made(None)["spec"], made(service)["spec"]
    assert spec == {**plain, **service}


def test_labels_and_annotations_stand_beside_its_own() -> None:
    metadata = made({"labels": {"team": "a"}, "annotations": {"b": "c"}})["metadata"]
    assert metadata["labels"] == {**made(None)["metadata"]["labels"], "team": "a"}
    assert metadata["annotations"] == {"b": "c"}


@pytest.mark.parametrize(
    ("service", "path"),
    [
        ({"type": "ExternalName"}, "spec.service.type"),
        ({"loadBalancerClass": "a"}, "spec.service.loadBalancerClass"),
        ({"type": "NodePort", "loadBalancerSourceRanges": ["203.0.113.0/24"]}, "spec.service.loadBalancerSourceRanges"),
        ({"type": "ClusterIP", "externalTrafficPolicy": "Local"}, "spec.service.externalTrafficPolicy"),
        ({"type": "LoadBalancer", "loadBalancerSourceRanges": ["203.0.113.7/24"]}, None),
        ({"type": "LoadBalancer", "loadBalancerSourceRanges": ["203.0.113.7"]}, None),
        ({"labels": {"app.kubernetes.io/name": "x"}}, "spec.service.labels"),
    ],
)
def test_services_that_are_refused(service: dict[str, Any], path: str | None) -> None:
    (error,) = planned(service).errors
    assert error.code == "LOCO-VALUE"
    assert error.path == (path or "spec.service.loadBalancerSourceRanges[0]")
