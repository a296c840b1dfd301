"""Whom a gateway's pods may call, where its spec asks for a policy on that; a policy that cuts them off is an error."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import external, found, gateway, one, plan_of, service

NAME = "kubernetes.io/metadata.name"
URL = {"secretRef": {"name": "db", "key": "url"}}
CREDENTIALS = {"db": {"url": {"existing": True}}}
DNS = {
    "to": [
        {
            "namespaceSelector": {"matchLabels": {NAME: "kube-system"}},
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        }
    ],
    "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
}
DATA = {"peers": [{"namespace": "data"}]}


def namespace(name: str) -> dict[str, Any]:
    return {"namespaceSelector": {"matchLabels": {NAME: name}}}


def tcp(*ports: int) -> list[dict[str, Any]]:
    return [{"port": port, "protocol": "TCP"} for port in ports]


def planned(
    *documents: dict[str, Any], egress: dict[str, Any] | None = None, platform: Any = None, **spec: Any
) -> Plan:
    front = gateway({"egress": egress or {}, **spec})
    return plan_of(*documents, front, platform=platform or {}, credentials=CREDENTIALS)


def rules(plan: Plan) -> list[dict[str, Any]]:
    """All but the one for names."""
    assert not plan.errors, "\n".join(map(str, plan.errors))
    policy = one(plan, "NetworkPolicy", "main-litellm").data["spec"]
    first, *others = policy["egress"]
    assert first == DNS
    return list(others)


def test_everybody_may_be_called_unless_asked_for() -> None:
    plan = plan_of(external(), gateway())
    assert not [manifest for manifest in plan.manifests if manifest.id.kind == "NetworkPolicy"]


def test_policy_is_for_both_directions_only_where_both_are_asked_for() -> None:
    def types(**spec: Any) -> Any:
        return one(plan_of(external(), gateway(spec)), "NetworkPolicy").data["spec"]["policyTypes"]

    assert types(egress={}) == ["Egress"]
    assert types(clients=[{"namespace": "a"}]) == ["Ingress"]
    assert types(clients=[{"namespace": "a"}], egress={}) == ["Ingress", "Egress"]


def test_own_models_at_the_engines_port() -> None:
    engines = {"app.kubernetes.io/part-of": "llminferenceservice", "kserve.io/component": "workload"}
    plan = planned(service(), service(name="b", namespace="other"), via="service")
    assert rules(plan) == [
        {
            "to": [{**namespace(place), "podSelector": {"matchLabels": engines}} for place in ("llm", "other")],
            "ports": tcp(8000),
        }
    ]
    for made in plan.manifests:
        if made.id.kind == "Deployment" and made.name.endswith("-kserve"):
            assert engines.items() <= made.data["spec"]["template"]["metadata"]["labels"].items()


ROUTED = {"router": {"route": {}, "scheduler": {}}}


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ({"internalURL": "http://gw.infra.svc", "peers": [{"namespace": "envoy"}]}, [{"to": [namespace("envoy")]}]),
        ({"internalURL": "http://gw.infra.svc.cluster.local:80"}, [{"to": [namespace("infra")]}]),
        ({"internalURL": "http://gw"}, [{"to": [namespace("llm")]}]),
        ({"internalURL": "http://10.1.2.3"}, [{"to": [{"ipBlock": {"cidr": "10.1.2.3/32"}}]}]),
        ({"internalURL": "http://gw.example.com"}, None),
        (
            {"internalURL": "http://gw.example.com", "peers": [{"cidr": "10.0.0.0/8"}]},
            [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
        ),
    ],
)
def test_models_behind_the_platforms_gateway(fact: dict[str, Any], expected: list[Any] | None) -> None:
    platform = {"gateway": {"name": "shared", "namespace": "infra", **fact}}
    plan = planned(service(ROUTED), platform=platform)
    if expected is not None:
        assert rules(plan) == expected
        return
    (error,) = plan.errors
    assert (error.code, error.path) == ("LOCO-NETWORK-POLICY", "spec.egress")
    assert "http://gw.example.com" in error.message


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://api.openai.com/v1", {"ports": tcp(443)}),
        ("http://llm.example.com/v1", {"ports": tcp(80)}),
        ("https://llm.example.com:8443/v1", {"ports": tcp(8443)}),
        ("http://ollama.tools.svc:11434/v1", {"to": [namespace("tools")]}),
        ("http://pod-0.ollama.tools.svc.cluster.local/v1", {"to": [namespace("tools")]}),
        ("http://ollama:11434/v1", {"to": [namespace("llm")]}),
        ("http://10.0.0.7:8000/v1", {"to": [{"ipBlock": {"cidr": "10.0.0.7/32"}}], "ports": tcp(8000)}),
        ("http://a..svc/v1", {"ports": tcp(80)}),
        ("http://[fd00::7]/v1", {"to": [{"ipBlock": {"cidr": "fd00::7/128"}}], "ports": tcp(80)}),
    ],
)
def test_models_elsewhere(url: str, rule: dict[str, Any]) -> None:
    (made,) = rules(planned(external({"url": url})))
    if "to" in rule:
        assert made == rule
        return
    assert made["ports"] == rule["ports"]
    v4, v6 = (peer["ipBlock"] for peer in made["to"])
    assert (v4["cidr"], v6["cidr"]) == ("0.0.0.0/0", "::/0")
    assert "169.254.0.0/16" in v4["except"], "the cloud's metadata"
    assert "10.0.0.0/8" in v4["except"]


def test_models_elsewhere_at_ranges_of_ones_own() -> None:
    models = [external({"url": f"https://h:{port}/v1".replace("//h", "//h.x")}, f"m{port}") for port in (443, 8443)]
    plan = planned(*models, egress={"external": ["203.0.113.0/24"]})
    assert rules(plan) == [{"to": [{"ipBlock": {"cidr": "203.0.113.0/24"}}], "ports": tcp(443, 8443)}]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"database": URL, "egress": {"database": DATA}}, {"to": [namespace("data")], "ports": tcp(5432)}),
        (
            {"database": URL, "egress": {"database": {**DATA, "ports": [6432]}}},
            {"to": [namespace("data")], "ports": tcp(6432)},
        ),
        ({"redis": {"host": "cache.data.svc"}, "egress": {}}, {"to": [namespace("data")], "ports": tcp(6379)}),
        (
            {"redis": {"host": "cache.data.svc.cluster.local", "port": 6380}, "egress": {}},
            {"to": [namespace("data")], "ports": tcp(6380)},
        ),
        ({"redis": {"host": "cache"}, "egress": {}}, {"to": [namespace("llm")], "ports": tcp(6379)}),
        (
            {
                "redis": {"host": "cache.data.svc"},
                "egress": {"redis": {"peers": [{"namespace": "data", "podLabels": {"app": "redis"}}], "ports": [6380]}},
            },
            {
                "to": [{**namespace("data"), "podSelector": {"matchLabels": {"app": "redis"}}}],
                "ports": tcp(6380),
            },
        ),
        (
            {"redis": {"host": "10.0.0.9", "port": 6380}, "egress": {}},
            {"to": [{"ipBlock": {"cidr": "10.0.0.9/32"}}], "ports": tcp(6380)},
        ),
        (
            {
                "redis": {"host": "cache.example.com", "port": 6380},
                "egress": {"redis": {"peers": [{"cidr": "10.9.0.0/16"}]}},
            },
            {"to": [{"ipBlock": {"cidr": "10.9.0.0/16"}}], "ports": tcp(6380)},
        ),
        (
            {"egress": {"others": [{"peers": [{"namespace": "otel"}], "ports": [4318]}]}},
            {"to": [namespace("otel")], "ports": tcp(4318)},
        ),
    ],
)
def test_stores_and_others(spec: dict[str, Any], expected: dict[str, Any]) -> None:
    plan = plan_of(service(), gateway(spec), credentials=CREDENTIALS)
    assert expected in rules(plan)


def test_the_migration_may_call_the_database_alone() -> None:
    plan = planned(service(), egress={"database": DATA, "others": [DATA]}, database=URL)
    policy = one(plan, "NetworkPolicy", "main-litellm-migrate")
    labels = one(plan, "Job").data["spec"]["template"]["metadata"]["labels"]
    assert policy.data["spec"] == {
        "podSelector": {"matchLabels": labels},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [],
        "egress": [DNS, {"to": [namespace("data")], "ports": tcp(5432)}],
    }
    order = [str(manifest.id) for manifest in plan.manifests]
    assert order.index(str(policy.id)) < order.index("Job/llm/main-litellm-migrate")


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"database": URL}, "database"),
        ({"redis": {"host": "cache.example.com"}}, "redis"),
        ({"redis": {"url": {"secretRef": {"name": "db", "key": "url"}}}}, "redis"),
    ],
)
def test_stores_of_which_nobody_says_where_they_are(spec: dict[str, Any], what: str) -> None:
    (error,) = planned(service(), **spec).errors
    assert (error.code, error.path) == ("LOCO-NETWORK-POLICY", "spec.egress")
    assert what in error.message


@pytest.mark.parametrize("field", ["database", "redis"])
def test_a_store_that_the_gateway_has_not(field: str) -> None:
    warnings = found(planned(service(), egress={field: DATA}), "LOCO-NO-EFFECT", "warning")
    assert f"spec.egress.{field}" in [warning.path for warning in warnings]


def test_names_are_asked_of_somebody_else() -> None:
    plan = planned(service(), egress={"dns": [{"cidr": "169.254.20.10/32"}]})
    first = one(plan, "NetworkPolicy", "main-litellm").data["spec"]["egress"][0]
    assert first["to"] == [{"ipBlock": {"cidr": "169.254.20.10/32"}}]


@pytest.mark.parametrize(
    ("egress", "path"),
    [
        ({"dns": []}, "spec.egress.dns"),
        ({"external": ["10.0.0.1/8"]}, "spec.egress.external[0]"),
        ({"others": [{"peers": []}]}, "spec.egress.others[0].peers"),
        ({"others": [{"peers": [{"namespace": "a"}], "ports": [0]}]}, "spec.egress.others[0].ports[0]"),
        ({"database": {}}, "spec.egress.database.peers"),
    ],
)
def test_egress_that_is_refused(egress: dict[str, Any], path: str) -> None:
    assert [(error.code, error.path) for error in planned(external(), egress=egress).errors] == [("LOCO-VALUE", path)]
