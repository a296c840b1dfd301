"""Which models a gateway serves, how it reaches them, and what its fallbacks may name."""

from typing import Any

import pytest

from tests.gateway.configs import config_of, entries
from tests.plan.stacks import external, found, gateway, plan_of, service

ROUTED = {"router": {"route": {}}}
SCHEDULED = {"router": {"route": {}, "scheduler": {}}}
PLATFORM = {"gateway": {"name": "shared", "internalURL": "http://gw/"}}
DIRECT = "http://chat-kserve-workload-svc.llm.svc.cluster.local:8000/v1"
THROUGH = "http://gw/llm/chat/v1"


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ({}, ["gpt", "other", "tiny"]),
        ({"tier": "gold"}, ["gpt", "tiny"]),
        ({"tier": "gold", "of": "a"}, ["gpt"]),
        ({"tier": "tin"}, []),
    ],
)
def test_selector(selector: dict[str, str], names: list[str]) -> None:
    documents = [
        service(labels={"tier": "gold"}, namespace="far"),
        external(labels={"tier": "gold", "of": "a"}),
        external(name="other"),
        gateway({"models": {"matchLabels": selector}}),
        gateway(name="rest"),
    ]
    plan = plan_of(*documents)
    assert not plan.errors
    config = [m for m in plan.manifests if m.name == "main-litellm-config"]
    assert config
    assert [entry["model_name"] for entry in config_of(plan)["model_list"]] == names
    paths = [finding.path for finding in found(plan, "LOCO-NO-EFFECT")]
    assert ("spec.models.matchLabels" in paths) is not bool(names)
    assert ("metadata.labels.tier" in paths) is (not selector)


def test_label_that_a_gateway_selects_by_has_an_effect() -> None:
    plan = plan_of(service(labels={"a": "b"}), gateway({"models": {"matchLabels": {"a": "b"}}}))
    assert not plan.findings


def test_metadata_that_reaches_nothing_is_told() -> None:
    about = {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    plan = plan_of(external(None, "gpt", **about), gateway(None, "main", **about))
    told = {(finding.subject, finding.path) for finding in found(plan, "LOCO-NO-EFFECT", "warning")}
    assert told == {
        (subject, path)
        for subject in ("ExternalModel/llm/gpt", "LiteLLMGateway/llm/main")
        for path in ("metadata.labels.a", "metadata.annotations.c")
    }


@pytest.mark.parametrize(
    ("documents", "subject"),
    [
        ([external()], "ExternalModel/llm/gpt"),
        ([gateway()], "LiteLLMGateway/llm/main"),
    ],
)
def test_one_without_the_other_is_told(documents: list[Any], subject: str) -> None:
    (warning,) = plan_of(*documents).findings
    assert (warning.code, warning.severity, warning.subject) == ("LOCO-NO-EFFECT", "warning", subject)


@pytest.mark.parametrize(
    ("spec", "via", "platform", "url"),
    [
        ({}, None, {}, DIRECT),
        (ROUTED, None, PLATFORM, DIRECT),
        (SCHEDULED, None, PLATFORM, THROUGH),
        (SCHEDULED, "service", PLATFORM, DIRECT),
        (ROUTED, "gateway", PLATFORM, THROUGH),
        ({"router": {"scheduler": {}}}, None, {}, DIRECT),
        ({}, None, {"tls": True}, DIRECT.replace("http:", "https:")),
        (SCHEDULED, None, {**PLATFORM, "tls": True}, THROUGH),
    ],
)
def test_way_to_a_model(spec: Any, via: str | None, platform: Any, url: str) -> None:
    plan = plan_of(service(spec), gateway({"via": via} if via else {}), platform=platform)
    assert not plan.errors
    (entry,) = entries(plan)
    assert entry["litellm_params"]["api_base"] == url


@pytest.mark.parametrize(
    ("spec", "via", "platform", "said"),
    [
        (SCHEDULED, None, {"gateway": {"name": "g"}}, "internalURL"),
        ({}, "gateway", PLATFORM, "no route"),
    ],
)
def test_model_out_of_reach_is_an_error(spec: Any, via: str | None, platform: Any, said: str) -> None:
    plan = plan_of(service(spec), gateway({"via": via} if via else {}), platform=platform)
    (error,) = plan.errors
    assert error.path == "spec.via"
    assert said in error.message


@pytest.mark.parametrize(
    ("fallbacks", "path"),
    [
        ([{"gpt": ["tiny"]}], None),
        ([{"gpt": ["nobody"]}], "spec.fallbacks[0].gpt[0]"),
        ([{"gpt": ["tiny"]}, {"nobody": ["gpt"]}], "spec.fallbacks[1].nobody"),
        ([{"gpt": ["publishers/llm/models/tiny"]}], "spec.fallbacks[0].gpt[0]"),
    ],
)
def test_fallbacks_name_models_that_are_served(fallbacks: Any, path: str | None) -> None:
    plan = plan_of(service(), external(), gateway({"fallbacks": fallbacks}))
    assert [(error.code, error.path) for error in plan.errors] == ([("LOCO-REFERENCE", path)] if path else [])


def test_fallback_to_what_the_selector_leaves_out_is_an_error() -> None:
    spec = {"models": {"matchLabels": {"a": "b"}}, "fallbacks": [{"gpt": ["tiny"]}]}
    plan = plan_of(service(), external(labels={"a": "b"}), gateway(spec))
    assert [error.code for error in plan.errors] == ["LOCO-REFERENCE"]


def test_fallback_to_a_model_that_is_faulty_is_no_second_fault() -> None:
    spec = {"fallbacks": [{"gpt": ["tiny"]}]}
    plan = plan_of(service({"replicas": -1}), external(), gateway(spec))
    assert [error.path for error in plan.errors] == ["spec.replicas"]


def test_fallback_to_a_model_out_of_reach_is_no_second_fault() -> None:
    spec = {"fallbacks": [{"gpt": ["tiny"]}], "via": "gateway"}
    assert [error.path for error in plan_of(service(), external(), gateway(spec)).errors] == ["spec.via"]


@pytest.mark.parametrize("name", ["x*", "os.environ/LITELLM_MASTER_KEY"])
def test_served_name_that_means_something_else_to_litellm(name: str) -> None:
    plan = plan_of(service({"model": {"uri": "hf://a/b", "name": name}}), gateway())
    assert ("LOCO-VALUE", "spec.model.name") in [(error.code, error.path) for error in plan.errors]
