"""Where a service answers."""

from typing import Any

import pytest

from tests.plan.stacks import plan_of, planned, service

DIRECT = ("service", "http://chat-kserve-workload-svc.llm.svc.cluster.local:8000")
OUTSIDE, INSIDE = "https://llm.example.com", "http://gw.infra.svc"
EXTERNAL = ("gateway-external", f"{OUTSIDE}/llm/chat")
INTERNAL = ("gateway-internal", f"{INSIDE}/llm/chat")


@pytest.mark.parametrize(
    ("router", "gateway", "expected"),
    [
        (None, {}, [DIRECT]),
        (None, {"url": OUTSIDE, "internalURL": INSIDE}, [DIRECT]),
        ({"scheduler": {}}, {"url": OUTSIDE}, [DIRECT]),
        ({"route": {}}, {}, [DIRECT]),
        ({"route": {}}, {"url": OUTSIDE}, [EXTERNAL, DIRECT]),
        ({"route": {}}, {"internalURL": INSIDE}, [INTERNAL, DIRECT]),
        ({"route": {}, "scheduler": {}}, {"url": OUTSIDE, "internalURL": INSIDE}, [EXTERNAL, INTERNAL, DIRECT]),
        ({"route": {}}, {"url": f"{OUTSIDE}//", "internalURL": f"{INSIDE}/"}, [EXTERNAL, INTERNAL, DIRECT]),
        (
            {"route": {}},
            {"url": f"{OUTSIDE}:8443/base/"},
            [("gateway-external", f"{OUTSIDE}:8443/base/llm/chat"), DIRECT],
        ),
    ],
)
def test_addresses(router: Any, gateway: dict[str, str], expected: list[tuple[str, str]]) -> None:
    spec = {"router": router} if router is not None else {}
    output = planned(spec, platform={"gateway": {"name": "g", **gateway}}).outputs["models"]["llm/chat"]
    assert [(address["name"], address["url"]) for address in output["addresses"]] == expected
    assert output["url"] == expected[0][1]


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
