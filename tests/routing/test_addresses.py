"""Where a service answers."""

from typing import Any

import pytest

from tests.plan.stacks import plan_of, planned, service

DIRECT = ("service", "http://chat-kserve-workload-svc.llm.svc.cluster.local:8000")
OUTSIDE, INSIDE = "https://llm.example.com", "http://gw.infra.svc"
PUBLISHER = "publishers/llm/models/tiny"


def through(root: str, where: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The addresses on a Gateway: by path, and by the header."""
    paths = [(where, f"{root}/llm/chat"), (f"{where}-publisher", f"{root}/{PUBLISHER}")]
    return paths, [(f"{where}-model-routing", root)]


EXTERNAL, BY_HEADER = through(OUTSIDE, "gateway-external")
INTERNAL, BY_HEADER_INSIDE = through(INSIDE, "gateway-internal")
OTHER, BY_HEADER_OTHER = through(f"{OUTSIDE}:8443/base", "gateway-external")


def addresses(spec: dict[str, Any], **platform: Any) -> list[dict[str, Any]]:
    plan = planned(spec, platform=platform)
    found: list[dict[str, Any]] = plan.outputs["models"]["llm/chat"]["addresses"]
    assert plan.outputs["models"]["llm/chat"]["url"] == found[0]["url"]
    return found


def named(spec: dict[str, Any], **platform: Any) -> list[tuple[str, str]]:
    return [(address["name"], address["url"]) for address in addresses(spec, **platform)]


@pytest.mark.parametrize(
    ("router", "gateway", "expected"),
    [
        (None, {}, [DIRECT]),
        (None, {"url": OUTSIDE, "internalURL": INSIDE}, [DIRECT]),
        ({"scheduler": {}}, {"url": OUTSIDE}, [DIRECT]),
        ({"route": {}}, {}, [DIRECT]),
        ({"route": {}}, {"url": OUTSIDE}, [*EXTERNAL, DIRECT, *BY_HEADER]),
        ({"route": {}}, {"internalURL": INSIDE}, [*INTERNAL, DIRECT, *BY_HEADER_INSIDE]),
        (
            {"route": {}, "scheduler": {}},
            {"url": OUTSIDE, "internalURL": INSIDE},
            [*EXTERNAL, *INTERNAL, DIRECT, *BY_HEADER, *BY_HEADER_INSIDE],
        ),
        ({"route": {}}, {"url": f"{OUTSIDE}//"}, [*EXTERNAL, DIRECT, *BY_HEADER]),
        ({"route": {}}, {"url": f"{OUTSIDE}:8443/base/"}, [*OTHER, DIRECT, *BY_HEADER_OTHER]),
        ({"route": {}, "gateway": {"refs": [{"name": "another"}]}}, {"url": OUTSIDE}, [DIRECT]),
        ({"route": {"http": {"refs": [{"name": "mine"}]}}}, {"url": OUTSIDE}, [DIRECT]),
    ],
)
def test_addresses(router: Any, gateway: dict[str, str], expected: list[tuple[str, str]]) -> None:
    spec = {"router": router} if router is not None else {}
    assert named(spec, gateway={"name": "g", **gateway}) == expected


ROUTED = {"router": {"route": {}}}
ADAPTER = {"name": "a1", "uri": "hf://a/b"}


def test_the_header_has_a_value_for_each_adapter_too() -> None:
    spec = {**ROUTED, "model": {"uri": "hf://a/b", "name": "tiny", "lora": {"adapters": [ADAPTER]}}}
    (by_header,) = (each for each in addresses(spec, gateway={"name": "g", "url": OUTSIDE}) if "header" in each)
    assert by_header["header"] == "X-Gateway-Model-Name"
    assert by_header["values"] == {"tiny": PUBLISHER, "a1": "publishers/llm/models/a1"}


@pytest.mark.parametrize(
    ("routes", "kinds"),
    [
        ({"form": "tenRules"}, ["gateway-external", "service", "gateway-external-model-routing"]),
        ({"modelBasedRouting": "disabled"}, ["gateway-external", "gateway-external-publisher", "service"]),
    ],
)
def test_only_what_the_rules_take_is_an_address(routes: dict[str, str], kinds: list[str]) -> None:
    found = addresses(ROUTED, gateway={"name": "g", "url": OUTSIDE}, routes=routes)
    assert [address["name"] for address in found] == kinds


def test_each_gateway_of_the_route_has_its_own() -> None:
    refs = [{"name": "g"}, {"name": "b", "namespace": "n"}]
    others = [{"name": "b", "namespace": "n", "url": "http://b"}, {"name": "c", "url": "http://c"}]
    spec = {"router": {"route": {}, "gateway": {"refs": refs}}}
    urls = [url for _, url in named(spec, gateway={"name": "g", "url": OUTSIDE}, gateways=others)]
    assert urls == [
        f"{OUTSIDE}/llm/chat",
        "http://b/llm/chat",
        f"{OUTSIDE}/{PUBLISHER}",
        f"http://b/{PUBLISHER}",
        DIRECT[1],
        OUTSIDE,
        "http://b",
    ]


REWRITE = {"type": "URLRewrite", "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/"}}}
CALL = {"type": "URLRewrite", "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/v1/c"}}}
HEADER = {"name": "x-gateway-model-name", "value": PUBLISHER}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"matches": [{"path": {"value": "/my/llm"}}], "filters": [REWRITE]}, [("-path", "/my/llm")]),
        ({"matches": [{"path": {"value": "/my/v1/c"}}], "filters": [CALL]}, [("-path", "/my")]),
        ({"matches": [{"path": {"value": "/my/chat"}}], "filters": [CALL]}, []),
        ({"matches": [{"path": {"value": "/my/llm"}}]}, []),
        ({"matches": [{"path": {"value": "/v1"}}]}, [("-root", "")]),
        ({}, [("-root", "")]),
        ({"matches": [{"headers": [HEADER]}]}, [("-model-routing", "")]),
        ({"matches": [{"headers": [{"name": "x", "value": "y"}]}]}, []),
        ({"matches": [{"method": "GET"}]}, []),
        ({"matches": [{"path": {"type": "Exact", "value": "/v1/models"}}]}, [("-root", "")]),
        ({"matches": [{"path": {"type": "Exact", "value": "/"}}]}, []),
        ({"matches": [{"path": {"value": "/llm/chat"}}], "filters": [REWRITE]}, [("", "/llm/chat")]),
    ],
)
def test_rules_of_the_users_own_say_where_it_answers(rule: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    rules = [{**rule, "backendRefs": [{"name": "b", "port": 80}]}]
    spec = {"router": {"route": {"http": {"spec": {"rules": rules}}}}}
    found = named(spec, gateway={"name": "g", "url": OUTSIDE})
    gateways = [(f"gateway-external{kind}", f"{OUTSIDE}{path}") for kind, path in expected]
    assert sorted(found) == sorted([DIRECT, *gateways])
    assert found[0][1] not in (OUTSIDE, f"{OUTSIDE}/")


@pytest.mark.parametrize(
    ("hostnames", "expected"),
    [
        (["llm.example.com"], [OUTSIDE]),
        (["*.example.com"], [OUTSIDE]),
        (["a.other.com", "b.other.com"], ["https://a.other.com", "https://b.other.com"]),
        (["*.other.com"], []),
    ],
)
def test_hostnames_of_the_route_are_those_of_its_addresses(hostnames: list[str], expected: list[str]) -> None:
    spec = {"router": {"route": {"http": {"spec": {"hostnames": hostnames}}}}}
    found = named(spec, gateway={"name": "g", "url": OUTSIDE, "internalURL": INSIDE})
    assert [url for name, url in found if name == "gateway-external"] == [f"{root}/llm/chat" for root in expected]
    assert "gateway-internal" not in dict(found)


def test_hostnames_of_a_route_lead_to_a_listener_that_takes_them() -> None:
    listeners = [{"name": "a", "port": 8443, "hostname": "*.example.com", "certificate": {"name": "c"}}]
    create = {"className": "envoy", "listeners": listeners}
    spec = {"router": {"route": {"http": {"spec": {"hostnames": ["llm.example.com", "llm.other.com"]}}}}}
    spec["router"]["gateway"] = {"refs": [{"name": "g", "namespace": "n"}, {"name": "other"}]}  # which takes the second
    for stated in ({}, {"url": "http://elsewhere.example.org"}):  # which is of another hostname
        found = named(spec, gateway={"name": "g", "namespace": "n", "create": create, **stated})
        assert [url for name, url in found if name == "gateway-external"] == [f"{OUTSIDE}:8443/llm/chat"]


def test_a_gateway_of_the_stacks_own_is_known_by_its_listeners() -> None:
    listeners = [
        {"name": "a", "port": 80, "hostname": "llm.example.com"},
        {"name": "b", "port": 8443, "hostname": "llm.example.com", "certificate": {"name": "c"}},
        {"name": "d", "port": 9443, "hostname": "*.example.com", "certificate": {"name": "c"}},
    ]
    create = {"className": "envoy", "listeners": listeners}
    found = named(ROUTED, gateway={"name": "g", "namespace": "n", "create": create})
    assert found[0] == ("gateway-external", f"{OUTSIDE}:8443/llm/chat")


def test_scheme_follows_tls() -> None:
    output = planned(platform={"tls": True}).outputs["models"]["llm/chat"]
    assert output["url"] == DIRECT[1].replace("http:", "https:")


@pytest.mark.parametrize("field", ["url", "internalURL"])
@pytest.mark.parametrize(
    "url",
    [
        "",
        "llm.example.com",
        "ftp://a",
        "http://",
        "http:///a",
        "http://[::1",
        "http://u:p@a",
        "http://a b",
        "http://a?x",
    ],
)
def test_url_that_is_none_is_refused(field: str, url: str) -> None:
    (error,) = plan_of(service(), platform={"gateway": {"name": "g", field: url}}).errors
    assert (error.code, error.path) == ("LOCO-VALUE", f"platform.gateway.{field}")


def test_namespace_goes_with_a_name() -> None:
    (error,) = plan_of(service(), platform={"gateway": {"namespace": "infra"}}).errors
    assert error.path == "platform.gateway"
