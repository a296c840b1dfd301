"""Where whole requests go when prefill has pods of its own."""

import pytest

from tests.plan.stacks import gateway, one, plan_of, planned, service
from tests.workloads.topologies import MAIN, PREFILL, templates

DECODE = "http://chat-kserve-decode-svc.llm.svc.cluster.local:8000"


def test_decode_service_selects_decode_pods_alone() -> None:
    plan = planned({"prefill": {}})
    found = one(plan, "Service", "chat-kserve-decode-svc").data["spec"]
    decode, prefill = (templates(plan, name)["pod"]["metadata"]["labels"] for name in (MAIN, PREFILL))
    assert found["selector"].items() <= decode.items()
    assert not found["selector"].items() <= prefill.items()
    assert [port["targetPort"] for port in found["ports"]] == [8000]
    assert plan.outputs["models"]["llm/chat"]["url"] == DECODE


@pytest.mark.parametrize(("spec", "profile"), [({}, "safe"), ({"prefill": {}}, "kserve")])
def test_there_is_none_without_prefill_nor_in_the_reference(spec: dict[str, object], profile: str) -> None:
    plan = planned(spec, profile=profile)
    assert [m.name for m in plan.manifests if m.id.kind == "Service"] == ["chat-kserve-workload-svc"]
    assert plan.outputs["models"]["llm/chat"]["workloads"]["service"] == "chat-kserve-workload-svc"


def test_gateway_calls_decode_pods() -> None:
    plan = plan_of(service({"prefill": {}}), gateway())
    assert not plan.errors
    config = one(plan, "ConfigMap").data["data"]
    assert f"{DECODE}/v1" in str(config)
    assert "workload-svc" not in str(config)


def test_route_without_a_scheduler_leads_to_decode_pods() -> None:
    spec = {"prefill": {}, "router": {"route": {}}}
    plan = planned(spec, platform={"gateway": {"name": "shared"}})
    route = one(plan, "HTTPRoute")
    backends = {backend["name"] for rule in route.data["spec"]["rules"] for backend in rule["backendRefs"]}
    assert backends == {"chat-kserve-decode-svc"}
    before = {edge.before.name for edge in plan.edges if edge.after == route.id}
    assert "chat-kserve-decode-svc" in before
