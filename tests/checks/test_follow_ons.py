"""One fault is told once, and not what follows from it."""

from typing import Any

import pytest

from tests.plan.stacks import external, found, gateway, plan_of, service

ROUTED = {"router": {"route": {}, "scheduler": {}}}
EXPOSED = {"expose": {"hostnames": ["llm.example.com"]}, "via": "service"}


@pytest.mark.parametrize(
    ("fact", "paths"),
    [
        ({"nmae": "shared", "namespace": "infra"}, ["platform.gateway.nmae", "platform.gateway"]),
        ({"name": 1, "namespace": "infra"}, ["platform.gateway.name"]),
        ({"name": 1}, ["platform.gateway.name"]),
        (None, ["spec.router.route", "spec.expose"]),
    ],
)
def test_a_faulty_gateway_is_still_one(fact: Any, paths: list[str]) -> None:
    platform = {} if fact is None else {"gateway": fact}
    findings = plan_of(service(ROUTED), gateway(EXPOSED), platform=platform).findings
    assert {finding.path for finding in findings if finding.severity == "error"} <= set(paths)
    assert paths[0] in {finding.path for finding in findings}
    assert any(finding.code == "LOCO-NETWORK-POLICY" for finding in findings) is (fact is None)


@pytest.mark.parametrize(
    ("labels", "refused", "told"),
    [
        ({"app.kubernetes.io/part-of": "x"}, False, True),
        ({"app.kubernetes.io/part-of": "x"}, True, False),
        ({}, True, False),
    ],
)
def test_pods_that_were_refused_are_missed_by_nothing(labels: dict[str, str], refused: bool, told: bool) -> None:
    spec = {**ROUTED, "labels": labels, **({"labels": {**labels, "bad key": "x"}} if refused else {})}
    plan = plan_of(service(spec), platform={"gateway": {"name": "shared", "namespace": "infra"}})
    assert bool(plan.errors) is refused
    assert bool(found(plan, "LOCO-SELECTOR", "warning")) is told


@pytest.mark.parametrize(("key", "told"), [("chat", []), ("llm/chat", []), ("chatt", ["spec.services.chatt"])])
def test_names_of_a_service_that_is_not_there_are_missed_once(key: str, told: list[str]) -> None:
    front = {
        "services": {key: {"names": ["big", "bigger"]}},
        "fallbacks": [{"big": ["gpt"]}, {"gpt": ["bigger"]}],
        "defaultFallbacks": ["big"],
        "aliases": {"other": "big"},
    }
    assert [finding.path for finding in plan_of(service(), external(), gateway(front)).findings] == told


def test_what_no_settings_name_is_still_missed() -> None:
    front = {"services": {"chatt": {"names": ["big"]}}, "fallbacks": [{"gpt": ["absent"]}], "aliases": {"a": "none"}}
    paths = [finding.path for finding in plan_of(service(), external(), gateway(front)).findings]
    assert paths == ["spec.services.chatt", "spec.fallbacks[0].gpt[0]", "spec.aliases.a"]
