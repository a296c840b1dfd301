"""Names and settings that decide which of a route's rules there are: what paths hold, who routes by header."""

from typing import Any

import pytest

from tests.plan.stacks import found, one, plan_of, planned, service
from tests.routing.test_route import PLATFORM, route


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("org/tiny-1.5", True),
        ("org/tiny:free@1", True),
        ("a%20b", True),
        ("a b", False),
        ("a#b", False),
        ("a//b", False),
        ("a%2Fb", False),
        ("a%2fb", False),
        ("a%b", False),
        ("a/./b", False),
        ("a/../b", False),
        ("a/", False),
        ("a?b", False),
        ("größer", False),
        ("m" * 1100, False),
    ],
)
def test_name_that_no_path_may_hold_has_no_publisher_path(name: str, path: bool) -> None:
    plan = planned(
        {"router": {"route": {}, "scheduler": {}}, "model": {"uri": "hf://a/b", "name": name}}, platform=PLATFORM
    )
    rules = one(plan, "HTTPRoute").data["spec"]["rules"]
    assert len(rules) == (12 if path else 7)
    told = found(plan, "LOCO-PUBLISHER-PATH", "warning")
    assert [(finding.path, finding.value) for finding in told] == ([] if path else [("spec.model.name", name)])
    assert repr(f"publishers/llm/models/{name}") in repr(rules)  # by the header it is reached in any case


@pytest.mark.parametrize("value", ["chat", "/a//b", "/a#b", "/a%2Fb", "/a b", "/..", "/a/."])
def test_bad_path_of_the_users_own_is_an_error(value: str) -> None:
    rules = [{"backendRefs": [{"name": "x"}]}, {"matches": [{"path": {"value": value}}]}]
    (error,) = plan_of(service({"router": {"route": {"http": {"spec": {"rules": rules}}}}}), platform=PLATFORM).errors
    assert (error.code, error.value) == ("LOCO-VALUE", value)
    assert error.path == "spec.router.route.http.spec.rules[1].matches[0].path.value"


def test_a_regular_expression_is_no_such_path() -> None:
    rules = [{"name": "r", "matches": [{"path": {"type": "RegularExpression", "value": "/a.*#"}}]}]
    assert route({"route": {"http": {"spec": {"rules": rules}}}})["rules"] == rules


def test_the_namespace_publishers_is_reserved() -> None:
    (error,) = plan_of(service({"router": {"route": {}}}, namespace="publishers"), platform=PLATFORM).errors
    assert (error.code, error.path, error.value) == ("LOCO-VALUE", "metadata.namespace", "publishers")
    assert not plan_of(service({}, namespace="publishers"), platform=PLATFORM).errors


ANNOTATION = "serving.kserve.io/model-based-routing-enabled"
MADE = {"create": {"className": "c", "annotations": {ANNOTATION: "false"}}}


@pytest.mark.parametrize(
    ("mode", "annotation", "gateway", "refs", "expected"),
    [
        (None, None, {}, None, True),
        ("enabled", None, {}, None, True),
        ("disabled", None, {}, None, False),
        ("forced", None, {}, None, True),
        ("enabled", "false", {}, None, False),
        ("forced", "false", {}, None, False),
        ("enabled", None, {"modelBasedRouting": False}, None, False),
        ("forced", None, {"modelBasedRouting": False}, None, True),
        ("enabled", None, {"modelBasedRouting": True}, None, True),
        ("enabled", None, MADE, None, False),
        ("forced", None, MADE, None, True),
        ("enabled", None, {"modelBasedRouting": False}, [{"name": "other", "namespace": "n"}], True),
        ("enabled", None, {}, [{"name": "quiet", "namespace": "n"}], False),
        ("enabled", None, {}, [{"name": "other", "namespace": "n"}, {"name": "quiet", "namespace": "n"}], False),
        ("enabled", None, {}, [{"name": "quiet", "namespace": "elsewhere"}], True),
        ("disabled", None, {}, [{"name": "other", "namespace": "n"}], False),
    ],
)
def test_routing_by_the_models_header_as_stack_service_and_gateway_say(
    mode: str | None, annotation: str | None, gateway: dict[str, Any], refs: Any, expected: bool
) -> None:
    platform = {
        "gateway": {"name": "shared", "namespace": "infra", **gateway},
        "gateways": [{"name": "quiet", "namespace": "n", "modelBasedRouting": False}],
        **({"routes": {"modelBasedRouting": mode}} if mode else {}),
    }
    router = {"route": {}, "scheduler": {}, **({"gateway": {"refs": refs}} if refs else {})}
    spec: dict[str, Any] = {"annotations": {ANNOTATION: annotation}} if annotation else {}
    rules = route(router, platform, **spec)["rules"]
    assert len(rules) == (12 if expected else 10)
    assert ("X-Gateway-Model-Name" in repr(rules)) is expected


def test_a_group_of_seventeen_is_told_before_an_api_server_does() -> None:
    group = {"route": {"group": "g", "weight": 1}}
    many = [service({"router": group}, f"m{n}") for n in range(17)]
    errors = plan_of(*many, platform=PLATFORM).errors
    assert {(error.code, error.value) for error in errors} == {("LOCO-VALUE", 17)}
    assert not plan_of(*many[:16], platform=PLATFORM).errors


@pytest.mark.parametrize(("length", "codes"), [(4000, []), (5000, ["LOCO-VALUE"])])
@pytest.mark.parametrize("adapter", [False, True])
def test_name_that_no_header_may_hold_is_an_error(adapter: bool, length: int, codes: list[str]) -> None:
    name = "m" * length
    model: dict[str, Any] = {"uri": "hf://a/b", "name": "tiny" if adapter else name}
    if adapter:
        model["lora"] = {"adapters": [{"name": name, "uri": "hf://a/b"}]}
    errors = plan_of(service({"router": {"route": {}}, "model": model}), platform=PLATFORM).errors
    assert [error.code for error in errors] == codes
    assert all(error.path == ("spec.model.lora.adapters[0].name" if adapter else "spec.model.name") for error in errors)
    quiet = {**PLATFORM, "routes": {"modelBasedRouting": "disabled"}}
    assert not plan_of(service({"router": {"route": {}}, "model": model}), platform=quiet).errors


@pytest.mark.parametrize(("mode", "codes"), [("enabled", []), ("disabled", ["LOCO-VALUE"])])
def test_rules_that_all_match_by_the_header_are_an_error_where_it_does_not_route(mode: str, codes: list[str]) -> None:
    match = {"headers": [{"name": "X-Gateway-Model-Name", "value": "tiny"}]}
    rules = [{"matches": [match], "backendRefs": [{"name": "tiny-inference-pool", "kind": "InferencePool"}]}]
    router = {"router": {"route": {"http": {"spec": {"rules": rules}}}}}
    errors = plan_of(service(router), platform={**PLATFORM, "routes": {"modelBasedRouting": mode}}).errors
    assert [error.code for error in errors] == codes
    assert all(error.path == "spec.router.route.http.spec.rules" for error in errors)
