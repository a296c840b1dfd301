"""NetworkPolicies, judged by what they do: every pair of pods of a plan, and strangers, port by port."""

from itertools import product
from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import found, gateway, one, plan_of, planned, service
from tests.workloads.connections import Pod, allowed, pods_of

PLATFORM: dict[str, Any] = {
    "gateway": {
        "name": "shared",
        "namespace": "infra",
        "internalURL": "http://gw",
        "peers": [{"namespace": "envoy", "podLabels": {"app": "envoy"}}],
    },
    "monitoring": {"peers": [{"namespace": "monitoring"}]},
    "clients": [{"namespace": "apps", "podLabels": {"may": "call"}}, {"cidr": "192.168.0.0/16"}],
}
GPU = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}
ROUTED: dict[str, Any] = {"router": {"route": {}, "scheduler": {}}}
GROUPS: dict[str, Any] = {"worker": GPU, "template": GPU, "parallelism": {"data": 2, "dataLocal": 1}, **ROUTED}
STRANGERS = {
    "envoy": Pod("envoy", "envoy", {"app": "envoy"}),
    "beside envoy": Pod("beside envoy", "envoy", {"app": "other"}),
    "envoy elsewhere": Pod("envoy elsewhere", "llm", {"app": "envoy"}),
    "prometheus": Pod("prometheus", "monitoring", {}),
    "client": Pod("client", "apps", {"may": "call"}),
    "no client": Pod("no client", "apps", {}),
    "neighbour": Pod("neighbour", "llm", {"app.kubernetes.io/part-of": "llminferenceservice"}),
    "listed address": Pod("listed address", None, {}, "192.168.3.4"),
    "other address": Pod("other address", None, {}, "192.169.3.4"),
}
ENGINE, DECODE, GRPC, HEALTH, METRICS, EVENTS = 8000, 8001, 9002, 9003, 9090, 5557
PORTS = (ENGINE, DECODE, GRPC, HEALTH, METRICS, EVENTS, 22)


def whole_plan() -> Plan:
    """Services of every form in two namespaces, and two gateways, of which one takes some services only."""
    plan = plan_of(
        service(ROUTED, "one", labels={"tier": "a"}),
        service(GROUPS, "many", labels={"tier": "b"}),
        service({"prefill": {"template": GPU}, "template": GPU, **ROUTED}, "apart", "other", labels={"tier": "b"}),
        service({}, "plain", "other", labels={"tier": "b"}),
        gateway({}, "every"),
        gateway({"models": {"matchLabels": {"tier": "a"}}, "replicas": 1}, "some", namespace="fronts"),
        platform=PLATFORM,
    )
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


# Pods of a service, with their kind.
KINDS = {
    "one-kserve": ("one", "engine"),
    "one-kserve-router-scheduler": ("one", "picker"),
    "many-kserve-mn/leader": ("many", "engine"),
    "many-kserve-mn/worker": ("many", "engine"),
    "many-kserve-router-scheduler": ("many", "picker"),
    "apart-kserve": ("apart", "decode"),
    "apart-kserve-prefill": ("apart", "engine"),
    "apart-kserve-router-scheduler": ("apart", "picker"),
    "plain-kserve": ("plain", "engine"),
    "every-litellm": (None, "gateway"),
    "some-litellm": (None, "gateway"),
}
# Who else may call which kind at which ports; None stands for every port.
CALLS: dict[tuple[str, str], set[int]] = {
    ("envoy", "engine"): {ENGINE},
    ("envoy", "decode"): {ENGINE},
    ("envoy", "picker"): {GRPC, HEALTH},
    ("prometheus", "engine"): {ENGINE},
    ("prometheus", "decode"): {ENGINE, DECODE},
    ("prometheus", "picker"): {METRICS},
    ("client", "engine"): {ENGINE},
    ("client", "decode"): {ENGINE},
    ("listed address", "engine"): {ENGINE},
    ("listed address", "decode"): {ENGINE},
}
GATEWAYS = {"every-litellm": {"one", "many", "apart", "plain"}, "some-litellm": {"one"}}


def expected(source: str, target: str, port: int) -> bool:
    owner, kind = KINDS[target]
    if kind == "gateway":
        return True  # the way in: nobody restricts it
    if source in KINDS and KINDS[source][0] == owner:
        return True
    if source in GATEWAYS:
        return kind != "picker" and owner in GATEWAYS[source] and port == ENGINE
    if source == "envoy" and owner == "plain":
        return False  # it has no route
    return port in CALLS.get((source, kind), set())


def test_every_pair_of_pods_may_do_what_the_table_says() -> None:
    plan = whole_plan()
    policies = [dict(m.data) for m in plan.manifests if m.id.kind == "NetworkPolicy"]
    pods = {pod.name: pod for pod in pods_of(plan.manifests)}
    assert pods.keys() == KINDS.keys()
    callers = pods | STRANGERS
    wrong = [
        f"{source} -> {target}:{port}"
        for source, target, port in product(callers, pods, PORTS)
        if allowed(policies, callers[source], pods[target], port) is not expected(source, target, port)
    ]
    assert not wrong


@pytest.mark.parametrize("unknown", [None, *PLATFORM])
def test_no_rule_lets_in_everybody(unknown: str | None) -> None:
    """Whatever of the platform nobody names: a rule without peers would open the port to all."""
    platform = {key: value for key, value in PLATFORM.items() if key != unknown}
    plan = plan_of(service({}, "plain"), service(ROUTED, "routed"), gateway({"via": "service"}), platform=platform)
    made = [manifest.data["spec"] for manifest in plan.manifests if manifest.id.kind == "NetworkPolicy"]
    assert made
    for policy in made:
        assert policy["policyTypes"] == ["Ingress"]
        assert all(rule["from"] for rule in policy["ingress"])


def test_each_policy_stands_before_its_pods() -> None:
    plan = whole_plan()
    order = [manifest.id for manifest in plan.manifests]
    policies = [identity for identity in order if identity.kind == "NetworkPolicy"]
    assert len(policies) == 8
    for policy in policies:
        (workload,) = (i for i in order if i.kind in ("Deployment", "LeaderWorkerSet") and i.name == policy.name)
        assert order.index(policy) < order.index(workload)


def policies(plan: Plan) -> list[str]:
    return [manifest.name for manifest in plan.manifests if manifest.id.kind == "NetworkPolicy"]


PEERS = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw", "peers": [{"namespace": "e"}]}}


@pytest.mark.parametrize(
    ("spec", "platform", "made", "warned"),
    [
        # behind the Gateway
        (ROUTED, PEERS, 2, None),
        ({"router": {"route": {}}}, PEERS, 1, None),
        ({"router": {"scheduler": {}}}, PEERS, 2, None),
        (ROUTED, {"gateway": {"name": "shared", "peers": []}}, 0, "platform.gateway.peers"),
        (ROUTED, {"gateway": {"name": "shared"}}, 0, "platform.gateway.peers"),
        ({"router": {"scheduler": {}}}, {}, 0, "platform.gateway.peers"),
        # named clients don't make up for an unknown Gateway: its calls would be cut off
        (ROUTED, {"gateway": {"name": "shared"}, "clients": [{"namespace": "a"}]}, 0, "platform.gateway.peers"),
        # another Gateway than the one whose peers are known
        ({"router": {"route": {}, "gateway": {"refs": [{"name": "x"}]}}}, PEERS, 0, "platform.gateway.peers"),
        (
            {"router": {"route": {}, "gateway": {"refs": [{"name": "shared", "namespace": "infra"}]}}},
            PEERS,
            1,
            None,
        ),
        # not behind it
        ({}, {}, 0, None),
        ({}, PEERS, 0, None),
        ({}, {"clients": [{"namespace": "a"}]}, 1, None),
        ({}, {"clients": []}, 0, None),
        # metrics
        ({"scaling": {"maxReplicas": 2, "wva": {"hpa": {}}}}, {"clients": [{"namespace": "a"}]}, 1, "platform.monitoring.peers"),
        (
            {"scaling": {"maxReplicas": 2, "wva": {"hpa": {}}}},
            {"clients": [{"namespace": "a"}], "monitoring": {"peers": [{"namespace": "m"}]}},
            1,
            None,
        ),
    ],
)  # fmt: skip
def test_where_callers_are_unknown_there_is_no_policy(
    spec: dict[str, Any], platform: dict[str, Any], made: int, warned: str | None
) -> None:
    plan = planned(spec, platform=platform)
    assert len(policies(plan)) == made
    assert [finding.path for finding in found(plan, "LOCO-NETWORK-POLICY", "warning")] == ([warned] if warned else [])
    reference = planned(spec, platform=platform, profile="kserve")
    assert not policies(reference)
    assert not found(reference, "LOCO-NETWORK-POLICY")


def test_services_behind_one_unknown_gateway_are_one_warning() -> None:
    plan = plan_of(service(ROUTED, "one"), service(ROUTED, "two"), platform={"gateway": {"name": "shared"}})
    assert len(found(plan, "LOCO-NETWORK-POLICY")) == 1


def test_a_stopped_service_has_none() -> None:
    stopped = service(ROUTED, annotations={"serving.kserve.io/stop": "true"})
    plan = plan_of(stopped, platform=PEERS)
    assert not policies(plan)


def test_pods_under_another_services_name_take_calls_of_its_picker() -> None:
    plan = plan_of(
        service(ROUTED, "owner"),
        service({"labels": {"app.kubernetes.io/name": "owner"}}, "joined"),
        platform={**PEERS, "clients": [{"namespace": "a"}]},
    )
    made = [dict(m.data) for m in plan.manifests if m.id.kind == "NetworkPolicy"]
    pods = {pod.name: pod for pod in pods_of(plan.manifests)}
    assert allowed(made, pods["owner-kserve-router-scheduler"], pods["joined-kserve"], ENGINE)


@pytest.mark.parametrize(
    ("peer", "path", "part"),
    [
        ({}, "platform.clients[0]", "exactly one of namespace"),
        ({"namespace": "a", "cidr": "10.0.0.0/8"}, "platform.clients[0]", "exactly one of namespace"),
        ({"cidr": "10.0.0.0/8", "podLabels": {"a": "b"}}, "platform.clients[0]", "podLabels goes with"),
        ({"namespace": "A_b"}, "platform.clients[0].namespace", "small letters"),
        ({"cidr": "10.0.0.1/8"}, "platform.clients[0].cidr", "host bits"),
        ({"cidr": "10.0.0.1"}, "platform.clients[0].cidr", "ends in its length"),
        ({"cidr": "x"}, "platform.clients[0].cidr", "range of addresses"),
        ({"namespce": "a"}, "platform.clients[0].namespce", "namespace"),
    ],
)
def test_peers_that_name_nobody_are_refused(peer: dict[str, Any], path: str, part: str) -> None:
    findings = plan_of(service(), platform={"clients": [peer]}).errors
    assert path in [finding.path for finding in findings]
    assert any(part in f"{finding.message} {finding.cure}" for finding in findings)


def test_ports_of_a_picker_follow_its_template() -> None:
    numbers = {"grpc": 9002, "grpc-health": 7000, "metrics": 7001}
    ports = [{"name": name, "containerPort": number} for name, number in numbers.items()]
    health = ["--grpc-health-port", "7000"]
    template = {"containers": [{"name": "main", "args": health, "ports": [{"$patch": "replace"}, *ports]}]}
    plan = planned({"router": {"route": {}, "scheduler": {"template": template}}}, platform=PLATFORM)
    rules = one(plan, "NetworkPolicy", "chat-kserve-router-scheduler").data["spec"]["ingress"]
    assert [[port["port"] for port in rule.get("ports", [])] for rule in rules] == [[], [7000, 9002], [7001]]
