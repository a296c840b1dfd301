"""LoRA adapters in routes: within the API's limits whatever their number, and each where it was when others change."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loco import names
from loco.plan import Plan
from tests.plan.stacks import plan_of, service

FORMS = ["twelveRules", "tenRules"]
ENDPOINTS = ("completions", "chat/completions", "responses", "messages")
PATHS = {*(f"/v1/{call}{end}" for call in ENDPOINTS for end in ("", "/")), None}
OWN_RULES = [
    {
        "matches": [{"path": {"value": f"/deep/{n}"}, "headers": [{"name": names.ROUTING_HEADER, "value": "x"}]}],
        "filters": [
            {
                "type": "URLRewrite",
                "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": f"/{n}"}},
            }
        ],
        "backendRefs": [{"name": "b", "port": 80}],
    }
    for n in range(5)
]


def plan_with(adapters: Sequence[str], form: str = "twelveRules", **route: Any) -> Plan:
    lora = {"adapters": [{"name": name, "uri": "hf://org/a"} for name in adapters]}
    spec = {"model": {"uri": "hf://a/b", "name": "tiny", "lora": lora}, "router": {"route": route, "scheduler": {}}}
    platform = {"gateway": {"name": "g"}, "routes": {"form": form}}
    plan = plan_of(service(spec), platform=platform)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def routes_of(plan: Plan) -> dict[str, list[dict[str, Any]]]:
    """Rules by the route's name, in the order in which routes are made."""
    return {m.name: m.data["spec"]["rules"] for m in plan.manifests if m.id.kind == "HTTPRoute"}


def matches_of(rules: Sequence[dict[str, Any]]) -> Counter[tuple[str, Any]]:
    """How often each name of the header stands beside each path."""
    return Counter(
        (header["value"].rpartition("/")[2], (match.get("path") or {}).get("value"))
        for rule in rules
        for match in rule.get("matches", [])
        for header in match.get("headers", [])
    )


def assert_within_limits(rules: Sequence[dict[str, Any]]) -> None:
    counts = [len(rule.get("matches", [])) or 1 for rule in rules]
    assert len(counts) <= 16
    assert max(counts) <= 64
    assert sum(counts) <= 128
    assert len({rule["name"] for rule in rules if "name" in rule}) == len([r for r in rules if "name" in r])
    for rule in rules:
        if "ReplacePrefixMatch" in repr(rule.get("filters")):
            assert len(rule["matches"]) == 1


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None)
@given(count=st.integers(0, 200))
def test_any_number_stays_within_the_limits_and_none_is_lost(form: str, count: int) -> None:
    adapters = [f"a{n}" for n in range(count)]
    routes = routes_of(plan_with(adapters, form))
    for name, rules in routes.items():
        assert_within_limits(rules)
        assert len(name) <= 63
    found: Counter[tuple[str, Any]] = sum((matches_of(rules) for rules in routes.values()), Counter())
    assert found == Counter((name, path) for name in ["tiny", *adapters] for path in PATHS)


@pytest.mark.parametrize(
    ("count", "form", "expected"),
    [
        (0, "twelveRules", {"chat-kserve-route": [1] * 4 + [8] + [1] * 7}),
        (7, "twelveRules", {"chat-kserve-route": [1] * 4 + [64] + [1] * 6 + [8]}),
        (8, "twelveRules", {"chat-kserve-route": [1] * 4 + [64, 8] + [1] * 6 + [9]}),
        (12, "twelveRules", {"chat-kserve-route": [1] * 4 + [64, 40] + [1] * 6 + [13]}),
        (7, "tenRules", {"chat-kserve-route": [1, 16] * 4 + [1, 8]}),
        (12, "tenRules", {"chat-kserve-route": [1, 26] * 4 + [1, 13]}),
    ],
)
def test_one_route_as_long_as_it_can_hold_them(count: int, form: str, expected: dict[str, list[int]]) -> None:
    routes = routes_of(plan_with([f"a{n}" for n in range(count)], form))
    assert {name: [len(rule["matches"]) for rule in rules] for name, rules in routes.items()} == expected


def test_the_main_route_of_several_has_all_rules_without_adapters() -> None:
    alone, many = routes_of(plan_with([])), routes_of(plan_with([f"a{n}" for n in range(40)]))
    assert many["chat-kserve-route"] == alone["chat-kserve-route"]
    assert list(many)[-1] == "chat-kserve-route"
    assert all(rule["backendRefs"] for rules in many.values() for rule in rules)


NAMES = st.lists(st.sampled_from([f"adapter-{n}" for n in range(60)]), unique=True, max_size=60)


@settings(max_examples=40, deadline=None)
@given(before=NAMES, after=NAMES)
def test_an_adapter_that_stays_always_has_a_route(before: list[str], after: list[str]) -> None:
    """Routes are made and changed in the order of the plan, and those that are no more go at the end."""
    live = routes_of(plan_with(before))
    new = routes_of(plan_with(after))
    staying = {"tiny", *before} & {"tiny", *after}
    for name, rules in new.items():
        live[name] = rules
        reached = sum((matches_of(each) for each in live.values()), Counter())
        assert {adapter for adapter, path in reached if path is None} >= staying


@settings(max_examples=40, deadline=None)
@given(adapters=st.lists(st.sampled_from([f"adapter-{n}" for n in range(200)]), unique=True, min_size=14, max_size=80))
def test_another_adapter_moves_none_unless_routes_become_more(adapters: list[str]) -> None:
    before, after = routes_of(plan_with(adapters)), routes_of(plan_with([*adapters, "one-more"]))
    if max(before) == max(after):  # the same highest number
        changed = [name for name in after if after[name] != before.get(name)]
        assert len(changed) == 1
    else:
        assert len(after) > len(before)


def test_rules_of_the_users_own_get_a_rule_for_each_adapter_where_they_replace_a_prefix() -> None:
    adapters = [f"a{n}" for n in range(20)]
    routes = routes_of(plan_with(adapters, http={"spec": {"rules": OWN_RULES}}))
    for rules in routes.values():
        assert_within_limits(rules)
    found: Counter[tuple[str, Any]] = sum((matches_of(rules) for rules in routes.values()), Counter())
    assert found == Counter((name, f"/deep/{n}") for name in ["x", *adapters] for n in range(5))


def test_adapters_are_many_rules_of_one_name_each() -> None:
    rules = routes_of(plan_with([f"a{n}" for n in range(8)]))["chat-kserve-route"]
    assert [rule["name"] for rule in rules if rule["name"].startswith("v1-model-routing")] == [
        "v1-model-routing",
        "v1-model-routing-2",
    ]
