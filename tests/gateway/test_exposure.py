"""How a LiteLLM gateway is reached from outside: a route or an Ingress that lets answers stream."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import found, gateway, one, plan_of, service

HOSTS = {"hostnames": ["llm.example.com"]}
SHARED = {"gateway": {"name": "shared", "namespace": "infra"}}


def exposed(expose: dict[str, Any], **platform: Any) -> Plan:
    plan = plan_of(service(), gateway({"expose": expose}), platform=platform)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def test_a_route_on_the_platforms_gateway() -> None:
    plan = exposed(HOSTS, **SHARED)
    route = one(plan, "HTTPRoute", "main-litellm")
    assert route.data["spec"] == {
        "parentRefs": [
            {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "shared", "namespace": "infra"}
        ],
        "hostnames": ["llm.example.com"],
        "rules": [
            {
                "name": "all",
                "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
                "backendRefs": [{"kind": "Service", "name": "main-litellm", "port": 4000, "weight": 1}],
                "timeouts": {"request": "0s", "backendRequest": "0s"},
            }
        ],
    }
    assert route.component == "LiteLLMGateway/llm/main"
    assert (one(plan, "Service", "main-litellm").id, route.id) in {(edge.before, edge.after) for edge in plan.edges}


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"name": "mine"}, {"name": "mine"}),
        (
            {"name": "mine", "namespace": "n", "sectionName": "s"},
            {"name": "mine", "namespace": "n", "sectionName": "s"},
        ),
    ],
)
def test_a_route_on_another_gateway(chosen: dict[str, str], expected: dict[str, str]) -> None:
    (parent,) = one(exposed({**HOSTS, "gateway": chosen}, **SHARED), "HTTPRoute").data["spec"]["parentRefs"]
    assert parent == {"group": "gateway.networking.k8s.io", "kind": "Gateway", **expected}


NGINX = {
    "nginx.ingress.kubernetes.io/proxy-body-size": "0",
    "nginx.ingress.kubernetes.io/proxy-buffering": "off",
    "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600",
    "nginx.ingress.kubernetes.io/proxy-send-timeout": "3600",
}


@pytest.mark.parametrize(
    ("ingress", "annotations"),
    [
        ({"className": "nginx"}, NGINX),
        ({"className": "nginx-internal"}, NGINX),
        (
            {"className": "nginx", "annotations": {"nginx.ingress.kubernetes.io/proxy-read-timeout": "60", "a": "b"}},
            {**NGINX, "nginx.ingress.kubernetes.io/proxy-read-timeout": "60", "a": "b"},
        ),
        (
            {"className": "haproxy"},
            {"haproxy.org/timeout-server": "1h", "haproxy-ingress.github.io/timeout-server": "1h"},
        ),
        (
            {"className": "alb"},
            {"alb.ingress.kubernetes.io/load-balancer-attributes": "idle_timeout.timeout_seconds=3600"},
        ),
        ({"className": "traefik"}, {}),
        ({"className": "own", "annotations": {"a": "b"}}, {"a": "b"}),
    ],
)
def test_an_ingress_with_time_for_streamed_answers(ingress: dict[str, Any], annotations: dict[str, str]) -> None:
    plan = exposed({**HOSTS, "ingress": {**ingress, "tlsSecret": "cert"}})
    made = one(plan, "Ingress")
    assert made.data["metadata"].get("annotations", {}) == annotations
    backend = {"service": {"name": "main-litellm", "port": {"number": 4000}}}
    assert made.data["spec"] == {
        "ingressClassName": ingress["className"],
        "rules": [
            {"host": "llm.example.com", "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}
        ],
        "tls": [{"hosts": ["llm.example.com"], "secretName": "cert"}],
    }
    assert not found(plan, "LOCO-STREAMING", "warning")


def test_a_class_of_which_nothing_is_known_is_told() -> None:
    (told,) = found(exposed({**HOSTS, "ingress": {"className": "odd"}}), "LOCO-STREAMING", "warning")
    assert (told.path, told.value) == ("spec.expose.ingress.className", "odd")


@pytest.mark.parametrize(
    ("expose", "path"),
    [
        ({}, "spec.expose.hostnames"),
        ({"hostnames": []}, "spec.expose.hostnames"),
        ({"hostnames": ["https://a.b"]}, "spec.expose.hostnames[0]"),
        ({"hostnames": ["a.b", "a.b"]}, "spec.expose.hostnames"),
        ({"hostnames": [f"h{n}.x" for n in range(17)]}, "spec.expose.hostnames"),
        ({**HOSTS, "ingress": {}}, "spec.expose.ingress.className"),
        ({**HOSTS, "ingress": {"className": "nginx"}, "gateway": {"name": "g"}}, "spec.expose.ingress"),
        ({**HOSTS, "port": 3}, "spec.expose.port"),
    ],
)
def test_what_can_expose_nothing_is_an_error(expose: dict[str, Any], path: str) -> None:
    errors = plan_of(service(), gateway({"expose": expose}), platform=SHARED).errors
    assert [error.path for error in errors] == [path]


def test_without_any_gateway_there_is_nothing_to_bind_to() -> None:
    (error,) = plan_of(service(), gateway({"expose": HOSTS})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.expose")


def test_the_hostname_of_the_models_own_addresses_is_told() -> None:
    plan = exposed(HOSTS, gateway={**SHARED["gateway"], "url": "https://llm.example.com"})
    (told,) = found(plan, "LOCO-SHADOWED", "warning")
    assert (told.path, told.value) == ("spec.expose.hostnames", "llm.example.com")
    other = exposed(
        {**HOSTS, "gateway": {"name": "g"}}, gateway={**SHARED["gateway"], "url": "https://llm.example.com"}
    )
    assert not found(other, "LOCO-SHADOWED", "warning")


PLAIN = {"name": "shared", "namespace": "infra"}
ELSEWHERE = {**PLAIN, "sectionName": "secure"}
AT_443, AT_8443 = "https://llm.example.com", "https://llm.example.com:8443"


def made(*listeners: dict[str, Any]) -> dict[str, Any]:
    create = {"className": "envoy", "listeners": list(listeners)}
    return {"gateway": {"name": "g", "namespace": "edge", "create": create}}


@pytest.mark.parametrize(
    ("expose", "platform", "expected"),
    [
        (HOSTS, SHARED, []),
        (HOSTS, {"gateway": {"name": "g", "url": "https://x.example.com:8443/a"}}, ["https://llm.example.com:8443"]),
        ({"hostnames": ["*.a.b", "c.d"]}, {"gateway": {"name": "g", "url": "http://x"}}, ["http://c.d"]),
        ({**HOSTS, "gateway": {"name": "h"}}, {"gateway": {"name": "g", "url": "http://x"}}, []),
        (
            {**HOSTS, "gateway": {"name": "h"}},
            {"gateway": {"name": "g", "url": "http://x"}, "gateways": [{"name": "h", "url": "https://y"}]},
            ["https://llm.example.com"],
        ),
        (HOSTS, made({"name": "a", "port": 8080}), ["http://llm.example.com:8080"]),
        (
            HOSTS,
            made({"name": "a", "port": 443, "hostname": "*.example.com", "certificate": {"name": "c"}}),
            ["https://llm.example.com"],
        ),
        (
            {**HOSTS, "gateway": {"name": "g", "namespace": "edge", "sectionName": "b"}},
            made({"name": "a", "port": 80}, {"name": "b", "port": 8443, "certificate": {"name": "c"}}),
            ["https://llm.example.com:8443"],
        ),
        (
            {**HOSTS, "gateway": {"name": "g", "namespace": "edge", "sectionName": "a"}},
            made({"name": "a", "port": 80}, {"name": "b", "port": 443, "certificate": {"name": "c"}}),
            ["http://llm.example.com"],
        ),
        (
            {**HOSTS, "gateway": {"name": "g", "namespace": "edge", "sectionName": "b"}},
            {"gateway": {**made({"name": "b", "port": 80})["gateway"], "url": "https://x"}},
            ["http://llm.example.com"],  # url is of another hostname, and the listener is known
        ),
        (
            HOSTS,
            {"gateway": {**made({"name": "b", "port": 80})["gateway"], "url": "https://x"}},
            ["http://llm.example.com"],
        ),
        (
            HOSTS,
            {"gateway": {**made({"name": "b", "port": 80})["gateway"], "url": "https://llm.example.com/a"}},
            ["https://llm.example.com"],  # another one in front of it serves HTTPS
        ),
        ({**HOSTS, "gateway": ELSEWHERE}, {"gateway": {**PLAIN, "url": "http://x"}}, []),
        ({**HOSTS, "gateway": ELSEWHERE}, {"gateway": {**PLAIN, "url": "https://llm.example.com:8443"}}, [AT_8443]),
        ({**HOSTS, "gateway": ELSEWHERE, "scheme": "https"}, {"gateway": {**PLAIN, "url": "http://x"}}, [AT_443]),
        ({**HOSTS, "gateway": ELSEWHERE, "scheme": "https"}, {}, [AT_443]),
        ({**HOSTS, "scheme": "https"}, {"gateway": {**PLAIN, "url": "http://x:8080"}}, [AT_443]),
        ({**HOSTS, "scheme": "https"}, {"gateway": {**PLAIN, "url": "https://x:8443"}}, [AT_8443]),
        ({**HOSTS, "scheme": "https"}, made({"name": "a", "port": 80}), [AT_443]),
        ({**HOSTS, "ingress": {"className": "nginx"}, "scheme": "https"}, {}, [AT_443]),
        (  # a Gateway of the same name somewhere else is another one
            {**HOSTS, "gateway": {"name": "shared", "namespace": "edge"}},
            {"gateway": {**PLAIN, "url": "http://x"}},
            [],
        ),
        ({**HOSTS, "ingress": {"className": "nginx"}}, {}, ["http://llm.example.com"]),
        ({**HOSTS, "ingress": {"className": "nginx", "tlsSecret": "t"}}, {}, ["https://llm.example.com"]),
    ],
)
def test_urls_among_the_outputs(expose: dict[str, Any], platform: dict[str, Any], expected: list[str]) -> None:
    assert exposed(expose, **platform).outputs["gateways"]["llm/main"]["externalURLs"] == expected


@pytest.mark.parametrize(
    ("expose", "platform", "told"),
    [
        ({**HOSTS, "gateway": ELSEWHERE}, {"gateway": {**PLAIN, "url": "http://x"}}, True),
        ({**HOSTS, "gateway": ELSEWHERE}, {"gateway": PLAIN}, True),
        ({**HOSTS, "gateway": ELSEWHERE}, {}, True),
        ({**HOSTS, "gateway": ELSEWHERE}, {"gateway": {**PLAIN, "url": "https://llm.example.com"}}, False),
        ({**HOSTS, "gateway": ELSEWHERE, "scheme": "http"}, {}, False),
        ({**HOSTS, "gateway": PLAIN}, {"gateway": PLAIN}, False),
        ({"hostnames": ["*.example.com"], "gateway": ELSEWHERE}, {}, False),
        (
            {**HOSTS, "gateway": {"name": "g", "namespace": "edge", "sectionName": "a"}},
            made({"name": "a", "port": 80}),
            False,
        ),
    ],
)
def test_a_listener_of_which_nobody_says_the_scheme(
    expose: dict[str, Any], platform: dict[str, Any], told: bool
) -> None:
    warnings = found(exposed(expose, **platform), "LOCO-CONFIG", "warning")
    path = "spec.expose.gateway.sectionName"
    assert [(each.path, each.value) for each in warnings] == ([(path, "secure")] if told else [])
    assert all("llm.example.com" in each.message and "scheme: https" in each.cure for each in warnings)


def test_a_scheme_of_no_url_is_told() -> None:
    (told,) = found(exposed({"hostnames": ["*.a.b"], "scheme": "https"}, **SHARED), "LOCO-NO-EFFECT", "warning")
    assert (told.path, told.value) == ("spec.expose.scheme", "https")


def test_a_scheme_that_is_none() -> None:
    errors = plan_of(service(), gateway({"expose": {**HOSTS, "scheme": "tcp"}}), platform=SHARED).errors
    assert [(error.code, error.path) for error in errors] == [("LOCO-VALUE", "spec.expose.scheme")]


def test_a_gateway_that_isnt_exposed_has_none() -> None:
    assert plan_of(service(), gateway()).outputs["gateways"]["llm/main"]["externalURLs"] == []
