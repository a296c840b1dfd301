"""What users say of single models: shares, limits, LiteLLM's own parameters, and how services are served."""

from typing import Any

import pytest

from tests.gateway.configs import EXISTING, config_of, entries, key
from tests.plan.stacks import external, found, gateway, plan_of, service

LORA = {
    "model": {"uri": "hf://a/b", "name": "big", "lora": {"adapters": [{"name": n, "uri": "hf://a/c"} for n in "zx"]}}
}


def params(spec: dict[str, Any]) -> dict[str, Any]:
    plan = plan_of(external(spec), gateway())
    assert not plan.findings
    (entry,) = entries(plan)
    found: dict[str, Any] = entry["litellm_params"]
    return found


@pytest.mark.parametrize(
    ("setting", "written"),
    [
        ({"weight": 2}, {"weight": 2}),
        ({"order": 1}, {"order": 1}),
        ({"limits": {"requestsPerMinute": 5}}, {"rpm": 5}),
        ({"limits": {"tokensPerMinute": 5}}, {"tpm": 5}),
        ({"limits": {"parallelRequests": 5}}, {"max_parallel_requests": 5}),
        ({"timeoutSeconds": 5}, {"timeout": 5}),
        ({"streamTimeoutSeconds": 5}, {"stream_timeout": 5}),
        ({"retries": 0}, {"num_retries": 0}),
        ({"params": {"api_version": "1", "temperature": 0.5}}, {"api_version": "1", "temperature": 0.5}),
        ({"params": {"use_chat_completions_api": True}}, {"use_chat_completions_api": True}),
    ],
)
def test_setting_of_a_model(setting: dict[str, Any], written: dict[str, Any]) -> None:
    plain = params({})
    assert params(setting) == {**plain, **written}
    assert not plain.keys() & written.keys()


def test_info_stands_beside_what_loco_writes() -> None:
    (entry,) = entries(plan_of(external({"info": {"base_model": "gpt-4o"}}), gateway()))
    assert entry["model_info"] == {"base_model": "gpt-4o", "id": "externalmodel/llm/gpt", "mode": "chat"}


@pytest.mark.parametrize(
    ("limits", "checked"),
    [
        ({"requestsPerMinute": 5}, True),
        ({"tokensPerMinute": 5}, True),
        ({"parallelRequests": 5}, False),
        (None, False),
    ],
)
def test_limits_are_enforced_and_not_only_routed_by(limits: Any, checked: bool) -> None:
    plan = plan_of(external({"limits": limits}), gateway())
    checks = config_of(plan)["router_settings"].get("optional_pre_call_checks")
    assert checks == (["enforce_model_rate_limits"] if checked else None)


@pytest.mark.parametrize(
    ("first", "second", "weights"),
    [
        ({}, {}, [None, None]),
        ({"limits": {"requestsPerMinute": 5}}, {}, [1, 1]),
        ({"limits": {"requestsPerMinute": 5}}, {"limits": {"tokensPerMinute": 5}}, [None, None]),
        ({"limits": {"parallelRequests": 5}}, {}, [None, None]),
        ({"weight": 3}, {"weight": 1, "limits": {"requestsPerMinute": 5}}, [3, 1]),
    ],
)
def test_a_limit_of_one_starves_no_other(first: dict[str, Any], second: dict[str, Any], weights: list[Any]) -> None:
    plan = plan_of(external({"names": ["x"], **first}, "a"), external({"names": ["x"], **second}, "b"), gateway())
    assert not plan.errors
    assert [entry["litellm_params"].get("weight") for entry in entries(plan)] == weights


def test_weight_on_some_members_only_is_an_error_at_the_weight() -> None:
    documents = [external({"names": ["x"], "weight": 2}, "a"), external({"names": ["x"]}, "b")]
    (error,) = plan_of(*documents, gateway()).errors
    assert (error.code, error.subject, error.path) == ("LOCO-VALUE", "ExternalModel/llm/a", "spec.weight")
    assert "externalmodel/llm/b" in error.message


def test_weight_of_a_service_among_external_models() -> None:
    documents = [service(), external({"names": ["tiny"]}), gateway({"services": {"chat": {"weight": 2}}})]
    (error,) = plan_of(*documents).errors
    assert (error.subject, error.path) == ("LiteLLMGateway/llm/main", "spec.services.chat.weight")


def test_adapters_are_models_of_their_own() -> None:
    plan = plan_of(service(LORA), gateway())
    assert not plan.errors
    listed = [(e["model_name"], e["litellm_params"]["model"], e["model_info"]["id"]) for e in entries(plan)]
    assert listed == [
        ("big", "hosted_vllm/big", "llminferenceservice/llm/chat"),
        ("x", "hosted_vllm/x", "llminferenceservice/llm/chat/x"),
        ("z", "hosted_vllm/z", "llminferenceservice/llm/chat/z"),
    ]


@pytest.mark.parametrize(
    ("mode", "model"),
    [("embedding", "hosted_vllm/big"), ("rerank", "hosted_vllm/big"), ("audio_speech", "openai/big")],
)
def test_mode_of_a_service(mode: str, model: str) -> None:
    plan = plan_of(service(LORA), gateway({"services": {"chat": {"mode": mode, "names": ["a", "b"]}}}))
    assert not plan.errors
    assert {entry["model_info"]["mode"] for entry in entries(plan)} == {mode}
    assert [entry["model_name"] for entry in entries(plan)] == ["a", "b", "x", "z"]
    assert [entry["litellm_params"]["model"] for entry in entries(plan)][:2] == [model, model]
    assert all(("api_key" in e["litellm_params"]) is (mode == "audio_speech") for e in entries(plan))


@pytest.mark.parametrize(
    ("services", "code", "path"),
    [
        ({"chat": {}}, None, None),
        ({"llm/chat": {}}, None, None),
        ({"far/chat": {}}, None, None),
        ({"chta": {}}, "LOCO-REFERENCE", "spec.services.chta"),
        ({"gpt": {}}, "LOCO-REFERENCE", "spec.services.gpt"),
        ({"chat": {}, "llm/chat": {}}, "LOCO-DUPLICATE", "spec.services.chat"),
        ({"chat": {"names": []}}, "LOCO-VALUE", "spec.services.chat.names"),
        ({"chat": {"mode": "talk"}}, "LOCO-VALUE", "spec.services.chat.mode"),
        ({"chat": {"url": "x"}}, "LOCO-UNKNOWN-KEY", "spec.services.chat.url"),
    ],
)
def test_settings_are_of_a_service_that_is_served(services: Any, code: str | None, path: str | None) -> None:
    plan = plan_of(service(), service(namespace="far"), external(), gateway({"services": services}))
    assert [(error.code, error.path) for error in plan.errors] == ([(code, path)] if code else [])


def test_settings_find_the_service_of_their_namespace() -> None:
    plan = plan_of(service(), service(namespace="far"), gateway({"services": {"chat": {"names": ["mine"]}}}))
    assert [entry["model_name"] for entry in entries(plan)] == ["mine", "tiny"]


@pytest.mark.parametrize(
    ("spec", "code", "path"),
    [
        ({"aliases": {"gpt-4": "gpt"}}, None, None),
        ({"aliases": {"gpt-4": "nobody"}}, "LOCO-REFERENCE", "spec.aliases.gpt-4"),
        ({"aliases": {"a": "b", "b": "gpt"}}, "LOCO-REFERENCE", "spec.aliases.a"),
        ({"aliases": {"tiny": "gpt"}}, "LOCO-DUPLICATE", "spec.aliases.tiny"),
        ({"fallbacks": [{"gpt": ["gpt"]}]}, "LOCO-VALUE", "spec.fallbacks[0].gpt[0]"),
        ({"fallbacks": [{"gpt": ["tiny"]}, {"tiny": ["gpt"]}]}, None, None),
        ({"contextWindowFallbacks": [{"gpt": ["x"]}]}, "LOCO-REFERENCE", "spec.contextWindowFallbacks[0].gpt[0]"),
        ({"contentPolicyFallbacks": [{"x": ["gpt"]}]}, "LOCO-REFERENCE", "spec.contentPolicyFallbacks[0].x"),
        ({"defaultFallbacks": ["gpt", "x"]}, "LOCO-REFERENCE", "spec.defaultFallbacks[1]"),
    ],
)
def test_what_is_named_is_served(spec: Any, code: str | None, path: str | None) -> None:
    plan = plan_of(service(), external(), gateway(spec))
    assert [(error.code, error.path) for error in plan.errors] == ([(code, path)] if code else [])


def test_fallback_of_another_mode_is_told() -> None:
    plan = plan_of(service(), external({"mode": "embedding"}), gateway({"fallbacks": [{"tiny": ["gpt"]}]}))
    (warning,) = plan.findings
    assert (warning.severity, warning.path) == ("warning", "spec.fallbacks[0].tiny[0]")


def test_lists_of_fallbacks_and_aliases_in_litellms_words() -> None:
    one, other = [{"gpt": ["tiny"]}], [{"tiny": ["gpt"]}]
    spec = {
        "fallbacks": one,
        "contextWindowFallbacks": other,
        "contentPolicyFallbacks": one,
        "defaultFallbacks": ["tiny"],
        "aliases": {"gpt-4": "gpt"},
    }
    assert config_of(plan_of(service(), external(), gateway(spec)))["router_settings"] == {
        "routing_strategy": "simple-shuffle",
        "fallbacks": one,
        "context_window_fallbacks": other,
        "content_policy_fallbacks": one,
        "default_fallbacks": ["tiny"],
        "model_group_alias": {"gpt-4": "gpt"},
    }


@pytest.mark.parametrize(
    ("spec", "paths"),
    [
        ({"names": ["openai/*"], "model": "*"}, ["spec.model", "spec.names[0]"]),
        ({"names": ["openai/*"], "model": "*", "wildcard": True}, []),
    ],
)
def test_wildcards_are_asked_for(spec: dict[str, Any], paths: list[str]) -> None:
    plan = plan_of(external(spec), gateway())
    assert sorted(error.path for error in plan.errors) == paths
    if not paths:
        assert entries(plan)[0]["litellm_params"]["model"] == "openai/*"


def test_wildcard_without_one_is_told() -> None:
    (warning,) = found(plan_of(external({"wildcard": True}), gateway()), "LOCO-NO-EFFECT")
    assert warning.path == "spec.wildcard"


@pytest.mark.parametrize(("provider", "mode"), [("openai", "rerank"), ("hosted_vllm", "audio_speech")])
def test_mode_that_a_provider_never_answers(provider: str, mode: str) -> None:
    (error,) = plan_of(external({"provider": provider, "mode": mode}), gateway()).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.mode")


def test_more_models_than_a_config_map_holds() -> None:
    models = [f"{'m' * 200}-{number}" for number in range(3000)]
    plan = plan_of(external({"names": models, "auth": key("openai")}), gateway(), credentials=EXISTING)
    assert ("LOCO-VALUE", "spec.models") in [(error.code, error.path) for error in plan.errors]
    assert not plan_of(
        external({"names": models[:1000], "auth": key("openai")}), gateway(), credentials=EXISTING
    ).errors
