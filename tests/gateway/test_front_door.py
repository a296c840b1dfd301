"""Whether requests from outside find a way to a gateway that is exposed."""

from typing import Any

import pytest

from tests.plan.stacks import found, gateway, plan_of, service

HOSTS = {"hostnames": ["llm.example.com"]}
SHARED = {"name": "shared", "namespace": "infra"}
PEERS = {**SHARED, "peers": [{"namespace": "envoy"}]}
APPS = {"namespace": "apps"}
NGINX = {**HOSTS, "ingress": {"className": "nginx-internal"}}


@pytest.mark.parametrize(
    ("expose", "clients", "shared", "told"),
    [
        (HOSTS, [APPS], SHARED, True),
        (HOSTS, [APPS], PEERS, False),
        (HOSTS, None, SHARED, False),
        (None, [APPS], SHARED, False),
        ({**HOSTS, "gateway": SHARED}, [APPS], PEERS, False),
        ({**HOSTS, "gateway": {"name": "other", "namespace": "infra"}}, [APPS], PEERS, True),
        ({**HOSTS, "gateway": {"name": "shared"}}, [APPS], PEERS, True),
        ({**HOSTS, "gateway": {"name": "other", "namespace": "edge"}}, [APPS, {"namespace": "edge"}], PEERS, False),
        (NGINX, [APPS], PEERS, True),
        (NGINX, [APPS, {"namespace": "ingress-nginx"}], SHARED, False),
        (NGINX, [APPS, {"cidr": "10.0.0.0/8"}], SHARED, False),
    ],
)
def test_a_policy_that_forgets_the_proxies_is_told(
    expose: dict[str, Any] | None, clients: list[Any] | None, shared: dict[str, Any], told: bool
) -> None:
    spec = {name: value for name, value in (("expose", expose), ("clients", clients)) if value is not None}
    plan = plan_of(service(), gateway(spec), platform={"gateway": shared})
    assert not plan.errors
    warned = [finding.path for finding in found(plan, "LOCO-NETWORK-POLICY", "warning")]
    assert warned == (["spec.clients"] if told else [])


@pytest.mark.parametrize(("section", "refused"), [("web", False), ("nope", True)])
def test_a_listener_that_is_not_there_is_an_error_at_its_field(section: str, refused: bool) -> None:
    made = {**SHARED, "create": {"className": "c", "listeners": [{"name": "web", "port": 80}]}}
    exposed = gateway({"expose": {**HOSTS, "gateway": {**SHARED, "sectionName": section}}})
    errors = plan_of(service(), exposed, platform={"gateway": made}).errors
    assert [(e.code, e.path, e.subject, e.value, e.cure) for e in errors] == (
        [("LOCO-REFERENCE", "spec.expose.gateway.sectionName", "LiteLLMGateway/llm/main", "nope", "one of web")]
        if refused
        else []
    )
