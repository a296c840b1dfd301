"""A Gateway that the stack makes, and the grants that references between namespaces need."""

from typing import Any

import pytest

from tests.plan.stacks import external, gateway, one, plan_of, service

ROUTED = {"router": {"route": {}}}
CREATE = {"className": "envoy"}
WEB = {"name": "web", "port": 80, "hostname": "llm.example.com"}
SAFE = {"name": "safe", "port": 443, "certificate": {"name": "cert"}}


def platform(create: dict[str, Any] | None = None, **gateway: Any) -> dict[str, Any]:
    return {"gateway": {"name": "ours", "namespace": "edge", "create": {**CREATE, **(create or {})}, **gateway}}


def made(create: dict[str, Any], *documents: dict[str, Any]) -> dict[str, Any]:
    plan = plan_of(*(documents or (service(ROUTED),)), platform=platform(create))
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return dict(one(plan, "Gateway").data)


def selecting(*names: str) -> dict[str, Any]:
    expression = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(names)}
    return {"from": "Selector", "selector": {"matchExpressions": [expression]}}


def test_one_listener_for_http_unless_told_otherwise() -> None:
    assert made({"labels": {"a": "b"}, "annotations": {"c": "d"}}) == {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "ours", "namespace": "edge", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "spec": {
            "gatewayClassName": "envoy",
            "listeners": [
                {"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": selecting("llm")}}
            ],
        },
    }


def test_listeners_with_hostname_and_certificate() -> None:
    web, safe, far = made({"listeners": [WEB, SAFE, {**SAFE, "name": "far", "port": 8443}]})["spec"]["listeners"]
    assert (web["protocol"], web["port"], web["hostname"], web.get("tls")) == ("HTTP", 80, "llm.example.com", None)
    certificate = {"group": "", "kind": "Secret", "name": "cert"}
    assert safe["tls"] == far["tls"] == {"mode": "Terminate", "certificateRefs": [certificate]}
    assert (safe["protocol"], "hostname" in safe) == ("HTTPS", False)


@pytest.mark.parametrize(
    ("allowed", "namespaces", "expected"),
    [
        (None, ["edge"], {"from": "Same"}),
        (None, ["llm"], selecting("llm")),
        (None, ["b", "a"], selecting("a", "b")),
        ("All", ["llm"], {"from": "All"}),
        (["llm", "more"], ["llm"], selecting("llm", "more")),
        (["edge"], ["edge"], {"from": "Same"}),
    ],
)
def test_it_takes_routes_of_no_more_namespaces_than_need_be(allowed: Any, namespaces: list[str], expected: Any) -> None:
    services = [service({**ROUTED, "model": {"uri": "hf://a/b", "name": n}}, f"m-{n}", n) for n in namespaces]
    (listener,) = made({"allowedRoutes": allowed} if allowed else {}, *services)["spec"]["listeners"]
    assert listener["allowedRoutes"] == {"namespaces": expected}


def test_it_takes_none_but_its_own_where_no_route_is_bound_to_it() -> None:
    elsewhere = service({"router": {"route": {}, "gateway": {"refs": [{"name": "other"}]}}})
    (listener,) = made({}, elsewhere)["spec"]["listeners"]
    assert listener["allowedRoutes"] == {"namespaces": {"from": "Same"}}


def test_it_comes_before_the_routes_that_are_bound_to_it() -> None:
    plan = plan_of(service(ROUTED), gateway({"expose": {"hostnames": ["x.example.com"]}}), platform=platform())
    after = {edge.after.name for edge in plan.edges if edge.before == one(plan, "Gateway").id}
    assert after == {"chat-kserve-route", "main-litellm"}


def test_another_gateway_may_be_made_too() -> None:
    refs = {"router": {"route": {}, "gateway": {"refs": [{"name": "second", "namespace": "edge"}]}}}
    second = {"name": "second", "namespace": "edge", "create": CREATE}
    plan = plan_of(service(refs), platform={"gateway": {"name": "theirs", "namespace": "infra"}, "gateways": [second]})
    assert one(plan, "Gateway").name == "second"
    assert not plan.errors


@pytest.mark.parametrize(
    ("fact", "path"),
    [
        ({"namespace": None}, "platform.gateway"),
        ({"create": {}}, "platform.gateway.create.className"),
        ({"create": {**CREATE, "listeners": []}}, "platform.gateway.create.listeners"),
        ({"create": {**CREATE, "listeners": [WEB, WEB]}}, "platform.gateway.create"),
        ({"create": {**CREATE, "listeners": [WEB, {**WEB, "name": "b"}]}}, "platform.gateway.create"),
        ({"create": {**CREATE, "listeners": [WEB, {**SAFE, "port": 80}]}}, "platform.gateway.create"),
        (
            {"create": {**CREATE, "listeners": [{**WEB, "hostname": "http://x"}]}},
            "platform.gateway.create.listeners[web].hostname",
        ),
        ({"create": {**CREATE, "listeners": [{**WEB, "port": 0}]}}, "platform.gateway.create.listeners[web].port"),
        ({"create": {**CREATE, "allowedRoutes": ["A"]}}, "platform.gateway.create.allowedRoutes"),
        ({"create": {**CREATE, "allowedRoutes": ["other"]}}, "platform.gateway.create.allowedRoutes"),
    ],
)
def test_what_no_gateway_can_be_is_an_error(fact: dict[str, Any], path: str) -> None:
    whole = {"name": "ours", "namespace": "edge", "create": CREATE, **fact}
    known = {key: value for key, value in whole.items() if value is not None}
    errors = plan_of(service(ROUTED), platform={"gateway": known}).errors
    assert path in {error.path.removesuffix("[0]") for error in errors}
    assert all(error.path.startswith("platform.") or error.path == "spec.router.route" for error in errors)


def test_section_that_the_gateway_has_not_is_an_error() -> None:
    refs = [{"name": "ours", "namespace": "edge", "sectionName": "nope"}]
    spec = {"router": {"route": {}, "gateway": {"refs": refs}}}
    (error,) = plan_of(service(spec), platform=platform({"listeners": [WEB]})).errors
    assert (error.code, error.value, error.cure) == ("LOCO-REFERENCE", "nope", "one of web")


OTHER = {"name": "other"}


@pytest.mark.parametrize(
    ("hosts", "listeners", "more", "strange"),
    [
        (["llm.example.com"], [WEB], [], None),
        (["*.example.com"], [WEB], [], None),
        (["a.llm.example.com"], [WEB], [], ["a.llm.example.com"]),
        (["llm.example.com", "else.org"], [WEB], [], ["else.org"]),
        (["llm.example.com", "else.org"], [WEB], [OTHER], None),
        (["else.org"], [WEB], [OTHER], ["else.org"]),
        (["else.org"], [WEB, SAFE], [], None),
        (["a.example.com"], [{**WEB, "hostname": "*.example.com"}], [], None),
        (["example.com"], [{**WEB, "hostname": "*.example.com"}], [], ["example.com"]),
    ],
)
def test_hostname_that_no_listener_takes_is_an_error(
    hosts: list[str], listeners: list[Any], more: list[Any], strange: list[str] | None
) -> None:
    refs = [{"name": "ours", "namespace": "edge"}, *more]
    spec = {"router": {"route": {"http": {"spec": {"hostnames": hosts}}}, "gateway": {"refs": refs}}}
    errors = plan_of(service(spec), platform=platform({"listeners": listeners})).errors
    told = [(error.code, error.path, error.value) for error in errors]
    assert told == ([("LOCO-REFERENCE", "spec.router.route.http.spec.hostnames", strange)] if strange else [])


def test_hostname_of_a_listener_that_the_route_does_not_name_is_an_error() -> None:
    refs = [{"name": "ours", "namespace": "edge", "sectionName": "web"}]
    spec = {"router": {"route": {"http": {"spec": {"hostnames": ["else.org"]}}}, "gateway": {"refs": refs}}}
    (error,) = plan_of(service(spec), platform=platform({"listeners": [WEB, SAFE]})).errors
    assert error.value == ["else.org"]


def test_hostname_of_an_exposed_litellm_gateway_that_no_listener_takes_is_an_error() -> None:
    exposed = gateway({"expose": {"hostnames": ["else.org"]}})
    errors = plan_of(service(), exposed, platform=platform({"listeners": [WEB]})).errors
    assert "spec.expose.hostnames" in [error.path for error in errors]


# ---------------------------------------------------------------- grants
def routing_to(*backends: dict[str, Any], mirror: dict[str, Any] | None = None) -> dict[str, Any]:
    rule: dict[str, Any] = {"backendRefs": list(backends)}
    if mirror is not None:
        rule["filters"] = [{"type": "RequestMirror", "requestMirror": {"backendRef": mirror}}]
    return {"router": {"route": {"http": {"spec": {"rules": [rule]}}}}}


THEIRS = {"gateway": {"name": "g", "namespace": "infra"}}
NEIGHBOUR = service({}, "neighbour", "other")


def grants_of(plan: Any) -> list[dict[str, Any]]:
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return [dict(m.data) for m in plan.manifests if m.id.kind == "ReferenceGrant"]


def test_a_backend_in_another_namespace_of_the_stack_is_granted_by_name() -> None:
    backend = {"name": "neighbour-kserve-workload-svc", "namespace": "other", "port": 8000}
    plan = plan_of(service(routing_to(backend, {"name": "own", "port": 1})), NEIGHBOUR, platform=THEIRS)
    assert grants_of(plan) == [
        {
            "apiVersion": "gateway.networking.k8s.io/v1beta1",
            "kind": "ReferenceGrant",
            "metadata": {"name": "llm-httproutes", "namespace": "other"},
            "spec": {
                "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "llm"}],
                "to": [{"group": "", "kind": "Service", "name": "neighbour-kserve-workload-svc"}],
            },
        }
    ]
    assert [e.after.name for e in plan.edges if e.before.kind == "ReferenceGrant"] == ["chat-kserve-route"]


def test_mirrors_and_other_kinds_are_backends_too() -> None:
    kind = {"group": "net.example.com", "kind": "Import", "name": "i", "namespace": "other"}
    spec = routing_to(kind, mirror={"name": "m", "namespace": "other", "port": 1})
    (grant,) = grants_of(plan_of(service(spec), NEIGHBOUR, platform=THEIRS))
    assert grant["spec"]["to"] == [
        {"group": "", "kind": "Service", "name": "m"},
        {"group": "net.example.com", "kind": "Import", "name": "i"},
    ]


def test_services_of_one_namespace_share_a_grant_of_at_most_sixteen_names() -> None:
    documents = [
        service(routing_to(*({"name": f"s{n}-{m}", "namespace": "other", "port": 1} for m in range(6))), f"c{n}")
        for n in range(3)
    ]
    grants = grants_of(plan_of(*documents, NEIGHBOUR, platform=THEIRS))
    assert [grant["metadata"]["name"] for grant in grants] == ["llm-httproutes", "llm-httproutes-1"]
    assert [len(grant["spec"]["to"]) for grant in grants] == [16, 2]


def test_a_namespace_without_anything_of_the_stack_is_an_error_until_it_is_said_to_grant() -> None:
    spec = routing_to({"name": "own", "port": 1}, {"name": "far", "namespace": "abroad", "port": 1})
    (error,) = plan_of(service(spec), platform=THEIRS).errors
    assert (error.code, error.value) == ("LOCO-REFERENCE", "abroad")
    assert error.path == "spec.router.route.http.spec.rules[0].backendRefs[1].namespace"
    assert "a ReferenceGrant in abroad for Service far to HTTPRoutes of llm" in error.cure
    assert grants_of(plan_of(service(spec), platform={**THEIRS, "routes": {"granted": ["abroad"]}})) == []


def test_certificates_elsewhere_are_granted_to_gateways() -> None:
    create = {"listeners": [{**SAFE, "certificate": {"name": "cert", "namespace": "llm"}}]}
    (grant,) = grants_of(plan_of(service(ROUTED), platform=platform(create)))
    assert grant["metadata"] == {"name": "edge-gateways", "namespace": "llm"}
    assert grant["spec"]["from"] == [{"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "edge"}]
    assert grant["spec"]["to"] == [{"group": "", "kind": "Secret", "name": "cert"}]
    far = {"listeners": [{**SAFE, "certificate": {"name": "cert", "namespace": "vault"}}]}
    (error,) = plan_of(service(ROUTED), platform=platform(far)).errors
    assert error.path == "spec.listeners[0].tls.certificateRefs[0].namespace"


def test_without_references_between_namespaces_there_is_no_grant() -> None:
    plan = plan_of(service(ROUTED), external(), gateway(), platform=platform({"listeners": [SAFE]}))
    assert grants_of(plan) == []
