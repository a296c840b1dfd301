"""Whatever a service is called, what the plan's objects say of each other is true of the plan."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loco.plan import Plan
from tests.cases.references import pods, references, selectors
from tests.cases.rows import PLATFORM, about, of_kind
from tests.plan.stacks import gateway, plan_of, service
from tests.workloads.topologies import several_nodes

TOKENS = {"plugins": [{"type": "token-producer"}], "kind": "EndpointPickerConfig"}
WVA = {"maxReplicas": 2, "wva": {"hpa": {}}}
DRA = "serving.kserve.io/exp-dra-device-"
DEVICES = {"annotations": {f"{DRA}class": "gpu.example.com", f"{DRA}count": "2"}}
# Together they have every object that loco makes for a service.
FULL: dict[str, dict[str, Any]] = {
    "single": {"scaling": WVA, "router": {"route": {}, "scheduler": {"tokenizer": {}}}},
    "prefill": {"prefill": {"scaling": WVA}, "scaling": WVA, "router": {"route": {}, "scheduler": {}}},
    "groups": several_nodes(prefill=several_nodes(), router={"route": {}, "scheduler": {"config": {"inline": TOKENS}}}),
    "no scheduler": {"prefill": {}, "router": {"route": {}}},
}
TLS = {**PLATFORM, "tls": True}
LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
# One sign, both sides of where each child's name is shortened, the longest, and dashes where a name is cut.
NAMES = ["a", "a" * 43, "a" * 44, "a" * 52, "a" * 63, "ab-" * 14 + "z", f"{'a' * 30}-{'b' * 31}z", "a" + "-" * 61 + "z"]


def plan_named(name: str, shape: str, namespace: str = "llm") -> Plan:
    document = service(FULL[shape], name=name, namespace=namespace, **DEVICES)
    plan = plan_of(document, gateway({}, namespace=namespace), platform=TLS, credentials={})
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def broken(plan: Plan) -> Iterator[str]:
    existing = {(m.id.kind, m.namespace, m.name) for m in plan.manifests}
    has_pool = any(kind == "InferencePool" for kind, _, _ in existing)
    for who, reference in references(plan):
        # A preset's routing sidecar always names a pool; without a picker nobody tells it of a prefill pod to ask for.
        if reference not in existing and (has_pool or reference[0] != "InferencePool"):
            yield f"{who} refers to {reference}"


@about("V5", "C17", "E40", "kserve#4807", "ome#419", "llm-d-model-service#55")
@pytest.mark.parametrize("shape", FULL)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: f"{len(name)}: {name[:4]}")
def test_every_reference_is_to_an_object_of_the_plan(name: str, shape: str) -> None:
    plan = plan_named(name, shape)
    assert list(broken(plan)) == []
    kinds = {kind for _, (kind, _, _) in references(plan)}
    assert kinds >= {"Service", "Secret", "ServiceAccount"} - ({"ServiceAccount"} if shape == "no scheduler" else set())


@about("V5")
def test_the_test_of_references_sees_every_kind_of_reference() -> None:
    seen = {kind for shape in FULL for _, (kind, _, _) in references(plan_named("chat", shape))}
    assert seen >= {
        *("Service", "Secret", "ServiceAccount", "InferencePool", "Deployment", "LeaderWorkerSet", "Role"),
        *("ResourceClaimTemplate", "ConfigMap"),
    }
    tokenizer = [who for who, reference in references(plan_named("chat", "groups")) if "tokenizer" in reference[2]]
    assert {"certificate", "Deployment/llm/chat-kserve-router-scheduler"} <= set(tokenizer)


@about("V5", "E40")
@given(st.from_regex(LABEL, fullmatch=True), st.sampled_from(sorted(FULL)), st.from_regex(LABEL, fullmatch=True))
@example("a" * 63, "groups", "n" * 63)
@settings(max_examples=40, deadline=None)
def test_any_service_in_any_namespace(name: str, shape: str, namespace: str) -> None:
    if namespace == "publishers":
        return  # reserved
    plan = plan_named(name, shape, namespace)
    assert list(broken(plan)) == []
    for manifest in plan.manifests:
        assert LABEL.fullmatch(manifest.name), manifest.id
        for key, value in (manifest.data["metadata"].get("labels") or {}).items():
            assert LABEL_VALUE.fullmatch(value), f"{key}: {value}"
    for group in of_kind(plan, "LeaderWorkerSet"):  # <name>-<group>-<worker> is a pod, <name>-<group>-<hash> a label
        assert len(f"{group.name}-999-0123456789") <= 63
    for workload, _, labels in pods(plan):
        assert all(LABEL_VALUE.fullmatch(value) for value in labels.values()), workload.id


@about("V5", "llm-d-deployer#11")
@pytest.mark.parametrize("name", ["a" * 64, "a" * 253, "model-1.5", "Chat", "a_b", "-a", "1a"])
def test_a_name_that_no_service_can_have_is_refused(name: str) -> None:
    (error,) = plan_of(service({}, name=name)).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "metadata.name")


@about("llm-d-deployer#11", "llm-d-model-service#72")
@pytest.mark.parametrize("model", ["Qwen/Qwen2.5-7B-Instruct", "a" * 200, "org/model:tag", "MODEL_1"])
def test_a_models_name_makes_no_object_and_no_label(model: str) -> None:
    def named(model: str) -> list[tuple[str, Any]]:
        spec = {"model": {"uri": "hf://org/tiny", "name": model}, "router": {"route": {}, "scheduler": {}}}
        plan = plan_of(service(spec), platform=PLATFORM)
        assert not plan.errors
        return [(str(m.id), m.data["metadata"].get("labels")) for m in plan.manifests]

    assert named(model) == named("tiny")


@about("V15", "E38", "vllm#37942", "T17")
@pytest.mark.parametrize("shape", FULL)
def test_each_selector_finds_exactly_the_pods_that_it_is_meant_for(shape: str) -> None:
    """With a second service of the same shape and labels beside it, and a gateway."""
    documents = [service(FULL[shape], name=name, labels={"app": "x"}, **DEVICES) for name in ("chat", "chat-2")]
    plan = plan_of(*documents, gateway(), platform=PLATFORM)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    for finder, labels in selectors(plan):
        found = [(workload, which) for workload, which, has in pods(plan) if labels.items() <= has.items()]
        kind, name = finder.id.kind, finder.name
        assert found, f"{finder.id} finds no pods"
        owners = {workload.component for workload, _ in found}
        assert owners == {finder.component}, f"{finder.id} finds pods of {owners}"
        if kind in ("Deployment", "PodDisruptionBudget", "NetworkPolicy"):
            assert {workload.name for workload, _ in found} == {name}
        if kind == "InferencePool" or name.endswith(("-workload-svc", "-decode-svc")):
            assert "workerTemplate" not in {which for _, which in found}, "workers take no requests"
            names = {workload.name.split("-kserve")[-1] for workload, _ in found}
            assert names <= {"", "-mn", *(() if name.endswith("-decode-svc") else ("-prefill", "-mn-prefill"))}


@about("C23")
def test_two_services_of_one_model_are_told_and_keep_addresses_of_their_own() -> None:
    spec = {"model": {"uri": "hf://org/q", "name": "qwen"}, "router": {"route": {}}}
    plan = plan_of(service(spec, name="a"), service(spec, name="b"), platform=PLATFORM)
    assert [f.severity for f in plan.findings if f.code == "LOCO-SHADOWED"] == ["warning"]
    assert len({model["url"] for model in plan.outputs["models"].values()}) == 2


@about("C22", "T18")
@pytest.mark.parametrize("count", [0, 1, 7, 8, 12, 13, 40, 100])
def test_no_route_has_more_matches_than_the_gateway_api_allows(count: int) -> None:
    adapters = [{"name": f"a{number}", "uri": "hf://org/a"} for number in range(count)]
    model = {"uri": "hf://org/q", "name": "q", **({"lora": {"adapters": adapters}} if adapters else {})}
    plan = plan_of(service({"model": model, "router": {"route": {}, "scheduler": {}}}), platform=PLATFORM)
    assert not plan.errors
    routes = [manifest.data["spec"]["rules"] for manifest in of_kind(plan, "HTTPRoute")]
    for rules in routes:
        assert len(rules) <= 16
        assert all(len(rule["matches"]) <= 64 for rule in rules)
        assert sum(len(rule["matches"]) for rule in rules) <= 128
    asked = {
        (match.get("path", {}).get("value"), header["value"])
        for rules in routes
        for rule in rules
        for match in rule["matches"]
        for header in match.get("headers", [])
    }
    names = ["q", *(adapter["name"] for adapter in adapters)]
    assert {value for _, value in asked} == {f"publishers/llm/models/{name}" for name in names}
    assert len(asked) == 9 * len(names), "eight paths and the rest, for each name"


@about("C20", "T36")
def test_backends_are_a_function_of_the_spec_alone() -> None:
    def route(router: dict[str, Any]) -> Any:
        (found,) = of_kind(plan_of(service({"router": router}), platform=PLATFORM), "HTTPRoute")
        return found.data

    first, other = {"route": {}, "scheduler": {}}, {"route": {}}
    assert route(first) == route(first)
    assert route(first) != route(other)
    for router in (first, other, {**first, "gateway": {}}):
        assert all(rule["backendRefs"] for rule in route(router)["spec"]["rules"])


@about("V14")
def test_a_route_and_its_backends_share_a_namespace() -> None:
    """So no ReferenceGrant is needed, wherever the Gateway is."""
    plan = plan_of(service({"router": {"route": {}, "scheduler": {}}}, namespace="a"), platform=PLATFORM)
    (route,) = of_kind(plan, "HTTPRoute")
    backends = [backend for rule in route.data["spec"]["rules"] for backend in rule["backendRefs"]]
    assert {backend.get("namespace", "a") for backend in backends} == {route.namespace} == {"a"}


@about("D31")
def test_only_the_openai_paths_go_through_the_picker() -> None:
    plan = plan_of(service({"prefill": {}, "router": {"route": {}, "scheduler": {}}}), platform=PLATFORM)
    (route,) = of_kind(plan, "HTTPRoute")
    through = {
        re.sub(r"^.*(/v1/)", r"\1", match["path"]["value"]).rstrip("/")
        for rule in route.data["spec"]["rules"]
        if rule["backendRefs"][0]["kind"] == "InferencePool"
        for match in rule["matches"]
    }
    assert through == {"/v1/completions", "/v1/chat/completions", "/v1/responses", "/v1/messages"}
    others = {
        rule["backendRefs"][0]["name"]
        for rule in route.data["spec"]["rules"]
        if rule["backendRefs"][0]["kind"] == "Service"
    }
    assert others == {"chat-kserve-decode-svc"}, "a decode pod answers whole requests of any other path"
