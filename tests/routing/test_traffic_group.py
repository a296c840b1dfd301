"""Services that share requests by weight, and services that stand in each other's way."""

from typing import Any

from loco.plan import Plan
from tests.plan.stacks import found, one, plan_of, service

PLATFORM = {"gateway": {"name": "shared"}}


def member(name: str, weight: int | None = None, group: str | None = "g", **rest: Any) -> dict[str, Any]:
    route = {key: value for key, value in (("group", group), ("weight", weight)) if value is not None}
    metadata = rest.pop("metadata", {})
    router = {"route": route, **rest.pop("router", {"scheduler": {}})}
    return service({"router": router, **rest}, name=name, **metadata)


def planned(*documents: dict[str, Any]) -> Plan:
    plan = plan_of(*documents, platform=PLATFORM)
    assert not plan.errors, [str(error) for error in plan.errors]
    return plan


def backends(plan: Plan, name: str) -> dict[str, list[tuple[str, str, Any]]]:
    rules = one(plan, "HTTPRoute", f"{name}-kserve-route").data["spec"]["rules"]
    return {r["name"]: [(b["kind"], b["name"], b.get("weight")) for b in r["backendRefs"]] for r in rules}


def test_every_member_routes_to_all_by_weight_and_keeps_its_own_address() -> None:
    plan = planned(member("a", 90), member("b", 10, router={}))
    shared = [("InferencePool", "a-inference-pool", 90), ("Service", "b-kserve-workload-svc", 10)]
    for name in ("a", "b"):
        found_rules = backends(plan, name)
        assert found_rules["v1-model-routing"] == shared
        assert found_rules["v1-chat-completions-publisher-path"] == shared
        assert found_rules["v1-publisher-path-catch-all"] == shared
        assert found_rules["v1-catch-all-model-routing"] == shared
    assert backends(plan, "a")["v1-chat-completions-path"] == [("InferencePool", "a-inference-pool", 1)]
    assert backends(plan, "b")["v1-catch-all-path"] == [("Service", "b-kserve-workload-svc", 1)]
    pool = next(m.id for m in plan.manifests if m.id.kind == "InferencePool")
    route = one(plan, "HTTPRoute", "b-kserve-route")
    assert any(edge.before == pool and edge.after == route.id for edge in plan.edges)


def test_weight_nought_stays_and_stopped_members_have_no_share() -> None:
    stopped = {"annotations": {"serving.kserve.io/stop": "true"}}
    plan = planned(member("a", 0), member("b", 5), member("c", 7, metadata=stopped))
    assert [(name, weight) for _, name, weight in backends(plan, "a")["v1-model-routing"]] == [
        ("a-inference-pool", 0),
        ("b-inference-pool", 5),
    ]


def test_a_reference_to_a_pool_is_a_members_backend() -> None:
    plan = planned(member("a", 1, router={"scheduler": {"pool": {"ref": {"name": "theirs"}}}}), member("b", 2))
    assert ("InferencePool", "theirs", 1) in backends(plan, "b")["v1-model-routing"]
    assert backends(plan, "a")["v1-chat-completions-path"] == [("InferencePool", "theirs", 1)]
    assert not [m for m in plan.manifests if m.name == "a-kserve-router-scheduler"]
    assert [m.name for m in plan.manifests if m.id.kind == "InferencePool"] == ["b-inference-pool"]


def test_a_group_whose_routes_have_nothing_to_share_is_told() -> None:
    for form, mode, subjects in (
        ("tenRules", "disabled", ["LLMInferenceService/llm/a", "LLMInferenceService/llm/b"]),
        ("tenRules", "enabled", []),
        ("twelveRules", "disabled", []),
    ):
        routes = {"form": form, "modelBasedRouting": mode}
        plan = plan_of(member("a", 1), member("b", 1), platform={**PLATFORM, "routes": routes})
        assert [each.subject for each in found(plan, "LOCO-GROUP", "warning")] == subjects


def test_members_with_other_names_are_told_and_left_out() -> None:
    other = member("b", 5, model={"uri": "hf://o/m", "name": "other"})
    plan = planned(member("a", 5), other)
    (warning,) = found(plan, "LOCO-GROUP", "warning")
    assert warning.subject == "LLMInferenceService/llm/a"
    assert "b is of the same group" in warning.message
    assert [name for _, name, _ in backends(plan, "a")["v1-model-routing"]] == ["a-inference-pool"]


def test_groups_of_two_namespaces_are_two() -> None:
    here, there = member("a", 5), member("b", 5)
    there["metadata"]["namespace"] = "elsewhere"
    plan = planned(here, there)
    assert [name for _, name, _ in backends(plan, "a")["v1-model-routing"]] == ["a-inference-pool"]


def test_the_same_name_outside_of_a_group_is_told() -> None:
    plan = planned(member("a", group=None), member("b", group=None))
    (warning,) = found(plan, "LOCO-SHADOWED", "warning")
    assert (warning.path, warning.value, warning.subject) == ("spec.model.name", "tiny", "LLMInferenceService/llm/b")
    assert not found(planned(member("a", 1), member("b", 2)), "LOCO-SHADOWED", "warning")


def test_routes_of_the_users_own_leave_none_to_be_made() -> None:
    document = service({"router": {"route": {"http": {"refs": [{"name": "mine"}]}}, "scheduler": {}}})
    plan = planned(document)
    assert not [m for m in plan.manifests if m.id.kind == "HTTPRoute"]
    assert [m for m in plan.manifests if m.id.kind == "InferencePool"]
    (model,) = plan.outputs["models"].values()
    assert [address["name"] for address in model["addresses"]] == ["service"]
