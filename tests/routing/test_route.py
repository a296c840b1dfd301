"""The HTTPRoute: its rules, the gateways that it is bound to, the backends that it names."""

from pathlib import Path
from typing import Any

import pytest

from tests.plan.stacks import found, one, plan_of, plan_text, planned, service

PLATFORM = {"gateway": {"name": "shared", "namespace": "infra"}}
GROUP = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
POOL = {
    "group": "inference.networking.k8s.io",
    "kind": "InferencePool",
    "name": "chat-inference-pool",
    "port": 8000,
    "weight": 1,
}
SERVICE = {"kind": "Service", "name": "chat-kserve-workload-svc", "port": 8000, "weight": 1}
CALLS = ("completions", "chat/completions", "responses", "messages")
BY_MODEL = {"name": "X-Gateway-Model-Name", "type": "Exact", "value": "publishers/llm/models/tiny"}


def route(router: dict[str, Any], platform: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    plan = planned({"router": router, **spec}, platform=PLATFORM if platform is None else platform)
    result: dict[str, Any] = one(plan, "HTTPRoute").data["spec"]
    return result


def prefixed(name: str, path: str, rewritten: str, backend: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "matches": [{"path": {"type": "PathPrefix", "value": path}}],
        "filters": [
            {
                "type": "URLRewrite",
                "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": rewritten}},
            }
        ],
        "backendRefs": [backend],
        "timeouts": {"request": "0s", "backendRequest": "0s"},
    }


def test_twelve_rules() -> None:
    timeouts = {"request": "0s", "backendRequest": "0s"}
    exact = [f"/v1/{call}{end}" for call in CALLS for end in ("", "/")]
    expected = [
        *(prefixed(f"v1-{c.replace('/', '-')}-path", f"/llm/chat/v1/{c}", f"/v1/{c}", POOL) for c in CALLS),
        {
            "name": "v1-model-routing",
            "matches": [{"path": {"type": "Exact", "value": path}, "headers": [BY_MODEL]} for path in exact],
            "backendRefs": [POOL],
            "timeouts": timeouts,
        },
        *(
            prefixed(
                f"v1-{c.replace('/', '-')}-publisher-path", f"/publishers/llm/models/tiny/v1/{c}", f"/v1/{c}", POOL
            )
            for c in CALLS
        ),
        prefixed("v1-publisher-path-catch-all", "/publishers/llm/models/tiny", "/", SERVICE),
        prefixed("v1-catch-all-path", "/llm/chat", "/", SERVICE),
        {
            "name": "v1-catch-all-model-routing",
            "matches": [{"headers": [BY_MODEL]}],
            "backendRefs": [SERVICE],
            "timeouts": timeouts,
        },
    ]
    assert route({"route": {}, "scheduler": {}})["rules"] == expected


def test_without_a_scheduler_every_backend_is_the_service() -> None:
    rules = route({"route": {}})["rules"]
    assert len(rules) == 12
    assert {repr(backend) for rule in rules for backend in rule["backendRefs"]} == {repr(SERVICE)}


@pytest.mark.parametrize(
    ("refs", "expected"),
    [
        ([{"name": "a"}], [{**GROUP, "name": "a"}]),
        ([{"name": "a", "namespace": "n"}], [{**GROUP, "name": "a", "namespace": "n"}]),
        ([{"name": "a", "sectionName": "https"}], [{**GROUP, "name": "a", "sectionName": "https"}]),
        ([{"name": "a"}, {"name": "b"}], [{**GROUP, "name": "a"}, {**GROUP, "name": "b"}]),
        ([], [{**GROUP, "name": "shared", "namespace": "infra"}]),
    ],
)
def test_bound_to_the_gateways_that_the_service_names(refs: list[Any], expected: list[Any]) -> None:
    assert route({"route": {}, "gateway": {"refs": refs}})["parentRefs"] == expected
    if refs:
        assert route({"route": {}, "gateway": {"refs": refs}}, platform={})["parentRefs"] == expected


def test_gateway_without_a_namespace_is_one_of_the_services_own() -> None:
    assert route({"route": {}}, {"gateway": {"name": "shared"}})["parentRefs"] == [{**GROUP, "name": "shared"}]


@pytest.mark.parametrize("platform", [{}, {"gateway": {}}, {"gateway": {"url": "http://x"}}])
def test_no_gateway_is_an_error_with_a_cure(platform: dict[str, Any]) -> None:
    (error,) = plan_of(service({"router": {"route": {}}}), platform=platform).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.router.route")
    assert "platform: {gateway: {name:" in error.cure


def test_profile_kserve_has_a_gateway_of_its_own() -> None:
    plan = planned({"router": {"route": {}}}, profile="kserve")
    assert one(plan, "HTTPRoute").data["spec"]["parentRefs"] == [
        {**GROUP, "name": "kserve-ingress-gateway", "namespace": "kserve"}
    ]


@pytest.mark.parametrize(
    ("router", "path", "line"),
    [
        ("{route: {}, gateway: {refs: [{namespace: a}]}}", "spec.router.gateway.refs[0].name", 6),
        (
            "{route: {http: {spec: {parentRefs: [{kind: Gateway}]}}}}",
            "spec.router.route.http.spec.parentRefs[0].name",
            6,
        ),
    ],
)
def test_reference_without_a_name_is_told_at_its_line(tmp_path: Path, router: str, path: str, line: int) -> None:
    text = (
        "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\n"
        f"spec:\n  model: {{uri: hf://a/b}}\n  router: {router}\n"
    )
    (error,) = plan_text(tmp_path, text, platform=PLATFORM).errors
    assert (error.path, error.origin and error.origin.line) == (path, line)


def test_users_spec_lies_over_the_preset() -> None:
    own = {"hostnames": ["a.example.com"]}
    merged = route({"route": {"http": {"spec": own}}, "scheduler": {}})
    assert merged["hostnames"] == ["a.example.com"]
    assert len(merged["rules"]) == 12
    rules = [{"name": "mine", "backendRefs": [{"name": "other", "port": 80}]}]
    parents = [{"name": "theirs", "namespace": "n", "sectionName": "s"}]
    replaced = route({"route": {"http": {"spec": {"rules": rules, "parentRefs": parents}}}})
    assert (replaced["rules"], replaced["parentRefs"]) == (rules, parents)


@pytest.mark.parametrize(
    "backend",
    [
        {"kind": "InferencePool", "name": "my-pool", "group": "inference.networking.k8s.io", "port": 8000},
        {"kind": "Service", "name": "chat-inference-pool", "port": 1},
        {"name": "plain", "port": 80},
    ],
)
def test_users_own_backend_stays(backend: dict[str, Any]) -> None:
    for router in ({}, {"scheduler": {}}):
        spec = {"rules": [{"backendRefs": [backend]}]}
        assert route({"route": {"http": {"spec": spec}}, **router})["rules"][0]["backendRefs"] == [backend]


@pytest.mark.parametrize("name", ["chat-inference-pool", "theirs"])
def test_pool_of_another_namespace_is_an_error_at_its_place(tmp_path: Path, name: str) -> None:
    backend = f"{{kind: InferencePool, name: {name}, namespace: elsewhere}}"
    text = (
        "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\n"
        f"spec:\n  model: {{uri: hf://a/b}}\n  router:\n    route: {{http: {{spec: {{rules: [{{backendRefs: [{{name: a}},\n"
        f"      {backend}]}}]}}}}}}\n"
    )
    (error,) = plan_text(tmp_path, text, platform=PLATFORM).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.router.route.http.spec.rules[0].backendRefs[1].namespace")
    assert (error.value, error.origin and error.origin.line) == ("elsewhere", 8)


def test_namespace_of_its_own_is_no_error_on_a_pool() -> None:
    backend = {"kind": "InferencePool", "name": "theirs", "namespace": "llm", "port": 8000}
    rules = route({"route": {"http": {"spec": {"rules": [{"backendRefs": [backend]}]}}}, "scheduler": {}})["rules"]
    assert rules[0]["backendRefs"] == [backend]


def test_default_pool_without_a_group_becomes_the_service() -> None:
    spec = {"rules": [{"backendRefs": [{"kind": "InferencePool", "name": "chat-inference-pool"}]}]}
    (backend,) = route({"route": {"http": {"spec": spec}}})["rules"][0]["backendRefs"]
    assert backend == {"kind": "Service", "name": "chat-kserve-workload-svc", "port": 8000}


def test_routing_by_the_models_header_can_be_taken_back() -> None:
    off = {"annotations": {"serving.kserve.io/model-based-routing-enabled": "false"}}
    rules = route({"route": {}, "scheduler": {}}, **off)["rules"]
    assert len(rules) == 10
    assert "X-Gateway-Model-Name" not in repr(rules)


@pytest.mark.parametrize("gateway", [{}, {"refs": [{"name": "a"}]}])
def test_gateway_without_a_route_is_told(gateway: dict[str, Any]) -> None:
    plan = planned({"router": {"gateway": gateway, "scheduler": {}}})
    (warning,) = found(plan, "LOCO-NO-EFFECT", "warning")
    assert warning.path == "spec.router.gateway"


def test_model_name_with_slashes_makes_a_longer_path() -> None:
    rules = route({"route": {}}, model={"uri": "hf://a/b", "name": "org/tiny"})["rules"]
    assert rules[5]["matches"][0]["path"]["value"] == "/publishers/llm/models/org/tiny/v1/completions"


@pytest.mark.parametrize("spec", [{"rules": 3}, {"rules": ["a"]}, {"parentRefs": {}}, {"rules": [{"matches": "x"}]}])
def test_odd_spec_is_a_finding_at_its_place(spec: dict[str, Any]) -> None:
    errors = plan_of(service({"router": {"route": {"http": {"spec": spec}}}}), platform=PLATFORM).errors
    assert [error.code for error in errors] == ["LOCO-TYPE"]
    assert errors[0].path.startswith("spec.router.route.http.spec.")


def test_ten_rules_on_request() -> None:
    rules = route({"route": {}, "scheduler": {}}, {**PLATFORM, "routes": {"form": "tenRules"}})["rules"]
    timeouts = {"request": "0s", "backendRequest": "0s"}
    expected: list[dict[str, Any]] = []
    for call in CALLS:
        name = f"v1-{call.replace('/', '-')}"
        exact = [{"path": {"type": "Exact", "value": f"/v1/{call}{end}"}, "headers": [BY_MODEL]} for end in ("", "/")]
        expected.append(prefixed(f"{name}-path", f"/llm/chat/v1/{call}", f"/v1/{call}", POOL))
        expected.append(
            {"name": f"{name}-model-routing", "matches": exact, "backendRefs": [POOL], "timeouts": timeouts}
        )
    expected.append(prefixed("v1-catch-all-path", "/llm/chat", "/", SERVICE))
    expected.append(
        {
            "name": "v1-catch-all-model-routing",
            "matches": [{"headers": [BY_MODEL]}],
            "backendRefs": [SERVICE],
            "timeouts": timeouts,
        }
    )
    assert rules == expected
