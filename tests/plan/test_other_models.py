"""Models of other stacks behind the gateways of this one: ``modelsFrom``, with outputs that are given."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.model import Finding
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from loco.spec.outputs import read_outputs
from tests.plan.stacks import external, found, gateway, one, plan_of, service

A, B = "organization/models/a", "organization/models/b"
SHARED = {"name": "shared", "namespace": "infra", "internalURL": "http://gw"}
ROUTED = {"router": {"route": {}, "scheduler": {}}}


def exported(*documents: Mapping[str, Any], **config: Any) -> dict[str, Any]:
    """What a stack of these documents exports, as a stack reference gives it."""
    plan = plan_of(*documents, **{"platform": {"gateway": SHARED}, **config})
    assert not plan.errors
    values: dict[str, Any] = json.loads(json.dumps(plan.outputs), parse_int=float)
    return values


def taking(
    outputs: Mapping[str, Any],
    *documents: Mapping[str, Any],
    sources: list[Any] | None = None,
    **config: Any,
) -> Plan:
    """The plan of a stack that takes models of all stacks whose outputs are given, with one gateway by default."""
    settings = {"namespace": "front", "cluster": {"context": "test"}, "modelsFrom": sources or list(outputs), **config}
    documents = documents or (gateway(),)
    return plan_stack(read_stack(Path("/nonexistent"), settings, documents=documents, outputs=outputs))


def entries(plan: Plan) -> list[dict[str, Any]]:
    config = yaml.safe_load(one(plan, "ConfigMap", "main-litellm-config").data["data"]["config.yaml"])
    listed: list[dict[str, Any]] = config["model_list"]
    return listed


def named(name: str, spec: Mapping[str, Any] | None = None, namespace: str = "a", **metadata: Any) -> dict[str, Any]:
    return service({"model": {"uri": "hf://org/m", "name": name}, **(spec or {})}, name, namespace, **metadata)


FULL = exported(
    named("chat", ROUTED, labels={"tier": "gold"}),
    named("plain"),
    named("tuned", {"model": {"uri": "hf://o/m", "name": "tuned", "lora": {"adapters": [{"name": "law", "uri": "hf://o/l"}]}}}),
)  # fmt: skip


def test_entries_are_those_that_the_models_own_stack_would_make() -> None:
    """Whichever stack the gateway stands in, its config is the same."""
    documents = [named("chat", ROUTED), named("plain"), named("embed", ROUTED)]
    spec = {"services": {"a/embed": {"mode": "embedding", "names": ["vectors"]}}, "aliases": {"gpt": "chat"}}
    front = gateway({**spec, "fallbacks": [{"chat": ["plain"]}]}, namespace="front")
    together = plan_of(*documents, front, platform={"gateway": SHARED})
    apart = taking({A: exported(*documents)}, front)
    assert not apart.findings
    text = one(together, "ConfigMap", "main-litellm-config").data["data"]
    assert one(apart, "ConfigMap", "main-litellm-config").data["data"] == text
    assert "http://gw/a/chat/v1" in text["config.yaml"]
    assert "http://plain-kserve-workload-svc.a.svc.cluster.local:8000/v1" in text["config.yaml"]


def test_nothing_of_the_other_stack_is_made_here() -> None:
    plan = taking({A: FULL})
    assert {manifest.namespace for manifest in plan.manifests} == {"front"}
    assert plan.outputs["models"] == {}
    assert plan.resolved == ()


def test_adapters_come_along() -> None:
    assert [entry["model_name"] for entry in entries(taking({A: FULL}))] == ["chat", "law", "plain", "tuned"]


def test_typed_outputs_are_taken_too() -> None:
    assert entries(taking({A: read_outputs(FULL, A)})) == entries(taking({A: FULL}))


@pytest.mark.parametrize(
    ("selector", "source", "served"),
    [
        ({}, A, ["chat", "law", "plain", "tuned"]),
        ({"tier": "gold"}, A, ["chat"]),
        ({}, {"stack": A, "matchLabels": {"tier": "gold"}}, ["chat"]),
        ({}, {"stack": A}, ["chat", "law", "plain", "tuned"]),
        ({}, {"stack": A, "exclude": ["a/tuned", "a/chat"]}, ["plain"]),
    ],
)
def test_selectors_of_gateway_and_source(selector: dict[str, str], source: Any, served: list[str]) -> None:
    plan = taking({A: FULL}, gateway({"models": {"matchLabels": selector}}), sources=[source])
    assert not plan.findings
    assert [entry["model_name"] for entry in entries(plan)] == served


def test_two_stacks_and_own_models_share_a_name_by_their_groups_weights() -> None:
    def member(name: str, weight: int, namespace: str) -> dict[str, Any]:
        route = {"router": {"route": {"group": "g", "weight": weight}}}
        return service({"model": {"uri": "hf://org/m", "name": "chat"}, **route}, name, namespace)

    first, second = exported(member("one", 3, "a")), exported(member("two", 1, "a"))
    plan = taking({A: first, B: second})
    weights = {entry["model_info"]["id"]: entry["litellm_params"]["weight"] for entry in entries(plan)}
    assert weights == {"llminferenceservice/a/one": 3, "llminferenceservice/a/two": 1}


def test_labels_of_models_without_a_gateway_are_not_idle() -> None:
    """Gateways of other stacks may select by them; where the stack has gateways of its own, they would."""
    labelled = service({}, labels={"tier": "gold"})
    assert not plan_of(labelled).findings
    (idle,) = found(plan_of(labelled, gateway()), "LOCO-NO-EFFECT")
    assert idle.path == "metadata.labels.tier"
    assert not plan_of(labelled, gateway({"models": {"matchLabels": {"tier": "gold"}}})).findings
    (refused,) = plan_of(service({}, labels={"serving.kserve.io/x": "1"})).findings
    assert refused.code == "LOCO-UNSUPPORTED"


def _only(plan: Plan) -> Finding:
    (finding,) = plan.findings
    return finding


def test_the_same_model_of_two_stacks_names_both() -> None:
    finding = _only(taking({A: exported(named("chat")), B: exported(named("chat"), named("other"))}))
    assert (finding.code, finding.severity, finding.path) == ("LOCO-DUPLICATE", "error", "modelsFrom[1]")
    assert finding.message == f"the stacks {A} and {B} both have a model a/chat"


def test_a_model_of_this_stack_too() -> None:
    finding = _only(taking({A: exported(named("chat"))}, gateway(), named("chat")))
    assert (finding.code, finding.severity) == ("LOCO-DUPLICATE", "error")
    assert A in finding.message
    moved = {"LLMInferenceService/a/chat": {"enabled": False}}
    assert not taking({A: exported(named("chat"))}, gateway(), named("chat"), overrides=moved).findings


@pytest.mark.parametrize(
    ("sources", "code", "severity", "path", "message"),
    [
        ([A, A], "DUPLICATE", "error", "modelsFrom[1]", f"the stack {A} is named twice"),
        ([A, "organization/loco/dev"], "REFERENCE", "error", "modelsFrom[1]", "is this stack itself"),
        ([A, "dev"], "REFERENCE", "error", "modelsFrom[1]", "is this stack itself"),
        ([A, "organization/dev"], "REFERENCE", "error", "modelsFrom[1]", "is this stack itself"),
        ([{"stack": A, "matchLabels": {"tier": "tin"}}], "NO-EFFECT", "warning", "modelsFrom[0]", "has these labels"),
        (
            [{"stack": A, "exclude": ["a/chatt"]}],
            "NO-EFFECT",
            "warning",
            "modelsFrom[0].exclude[0]",
            "no model a/chatt",
        ),
        ([A, "organization/empty/x"], "NO-EFFECT", "warning", "modelsFrom[1]", "organization/empty/x has no models"),
        (["a b/c/d"], "VALUE", "error", "modelsFrom[0]", "organization/project/stack"),
        (["a//c"], "VALUE", "error", "modelsFrom[0]", "organization/project/stack"),
        ([{"matchLabels": {}}], "VALUE", "error", "modelsFrom[0].stack", "missing"),
        ([{"stack": A, "labels": {}}], "UNKNOWN-KEY", "error", "modelsFrom[0].labels", "labels"),
        ([3], "TYPE", "error", "modelsFrom[0]", ""),
    ],
)
def test_faults_of_the_config(sources: list[Any], code: str, severity: str, path: str, message: str) -> None:
    outputs = {A: FULL, "organization/empty/x": exported(gateway())}
    plan = taking(outputs, sources=sources)
    seen = [(f.code, f.severity, f.path) for f in plan.findings]
    assert (f"LOCO-{code}", severity, path) in seen
    assert any(message in f.message for f in plan.findings if f.path == path)


def test_faults_have_their_line(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(f"config:\n  loco:modelsFrom:\n  - {A}\n  - stack: {B}\n")
    config = {"namespace": "front", "files": [], "modelsFrom": [A, {"stack": B}], "cluster": {"context": "c"}}
    older = {**FULL, "models": {"a/x": {}}}
    stack = read_stack(
        tmp_path, config, config_file=file, documents=[gateway()], outputs={A: {"version": 2}, B: older}
    )  # fmt: skip
    findings = plan_stack(stack).errors
    assert {(f.origin.file, f.origin.line) for f in findings if f.origin} == {
        ("Pulumi.dev.yaml", 3),
        ("Pulumi.dev.yaml", 4),
    }
    assert all(A in f.message for f in findings if f.origin and f.origin.line == 3)


def test_without_outputs_they_are_left_out_and_may_be_what_is_named() -> None:
    """Outside of the engine nobody knows them."""
    front = gateway({"services": {"a/chat": {}}, "fallbacks": [{"chat": ["gpt"]}], "aliases": {"x": "chat"}})
    finding = _only(taking({}, front, external(), sources=[A, B]))
    assert (finding.code, finding.severity, finding.path) == ("LOCO-CONFIG", "warning", "modelsFrom")
    assert finding.value == [A, B]
    missing = found(taking({A: exported(named("other"))}, front), "LOCO-REFERENCE", "error")
    assert any("which the gateway doesn't serve" in finding.message for finding in missing)


def test_a_gateway_is_needed_and_must_take_them() -> None:
    for outputs in ({A: FULL}, {}):  # inside of the engine, and outside
        idle = found(taking(outputs, named("own"), sources=[A]), "LOCO-NO-EFFECT", "warning")
        assert [f.message for f in idle] == ["this stack has no gateway that could serve the models of others"]
    narrow = gateway({"models": {"matchLabels": {"tier": "own"}}})
    plan = taking({A: FULL}, narrow, named("own", labels={"tier": "own"}))
    assert [f.message for f in plan.findings] == [f"no gateway serves any model of {A}"]


SECURE = {"tls": True, "gateway": SHARED}


@pytest.mark.parametrize(
    ("model", "platform", "via", "cure"),
    [
        (named("chat"), {"tls": True}, None, "router: {route: {}} in the model"),
        (named("chat", {"router": {"route": {}}}), SECURE, None, "via: gateway in the gateway's spec"),
        (named("chat", ROUTED), SECURE, "service", "via: gateway in the gateway's spec"),
        (
            named("chat", ROUTED),
            {"tls": True, "gateway": {"name": "g", "namespace": "i"}},
            "service",
            "platform: {gateway: {internalURL: http://HOST}} in the config of that stack",
        ),
        (named("chat", ROUTED), SECURE, None, None),
        (named("chat", {"router": {"route": {}}}), SECURE, "gateway", None),
    ],
)
def test_an_authority_that_is_not_here(
    model: dict[str, Any], platform: dict[str, Any], via: str | None, cure: str | None
) -> None:
    plan = taking({A: exported(model, platform=platform)}, gateway({"via": via} if via else {}))
    said = [finding for finding in plan.findings if finding.severity == "error"]
    assert [finding.path for finding in said] == ([] if cure is None else ["spec.via"])
    if cure is None:
        assert [entry["litellm_params"]["api_base"] for entry in entries(plan)] == ["http://gw/a/chat/v1"]
    else:
        assert A in said[0].message
        assert cure in said[0].cure
