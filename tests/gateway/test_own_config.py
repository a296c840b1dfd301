"""LiteLLM's own words: laid over loco's, and never over what is loco's to write, and never with a secret."""

from typing import Any

import pytest

from tests.gateway.configs import config_of
from tests.plan.stacks import external, gateway, plan_of, service

VARIABLE = [{"name": "KEY", "value": "x"}]


def test_laid_over_deep() -> None:
    more = {
        "litellm_settings": {"request_timeout": 5, "callbacks": ["prometheus"]},
        "router_settings": {"retry_policy": {"TimeoutErrorRetries": 0}},
        "credential_list": [
            {"credential_name": "a", "credential_values": {"api_key": "os.environ/KEY"}, "credential_info": {}}
        ],
    }
    plain = config_of(plan_of(external(), gateway()))
    plan = plan_of(external(), gateway({"extraConfig": more, "env": VARIABLE}))
    assert not plan.errors
    assert config_of(plan) == {
        **plain,
        "litellm_settings": {**plain["litellm_settings"], "request_timeout": 5, "callbacks": ["prometheus"]},
        "router_settings": {**plain["router_settings"], **more["router_settings"]},  # type: ignore[dict-item]
        "credential_list": more["credential_list"],
    }


NAMED = {"credential_name": "a", "credential_info": {}}
CONFIG: list[tuple[dict[str, Any], str, str]] = [
    ({"model_list": []}, "VALUE", "model_list"),
    ({"include": ["a.yaml"]}, "VALUE", "include"),
    ({"environment_variables": {"A": "b"}}, "VALUE", "environment_variables"),
    ({"general_settings": {"master_key": "sk-1"}}, "VALUE", "general_settings.master_key"),
    ({"router_settings": {"fallbacks": []}}, "VALUE", "router_settings.fallbacks"),
    ({"litellm_settings": {"default_fallbacks": ["a"]}}, "VALUE", "litellm_settings.default_fallbacks"),
    ({"router_settings": {"model_group_alias": {}}}, "VALUE", "router_settings.model_group_alias"),
    ({"router_settings": {"health_check_interval": 1}}, "VALUE", "router_settings.health_check_interval"),
    ({"litellm_settings": {"set_verbose": True}}, "VALUE", "litellm_settings.set_verbose"),
    ({"router_setings": {}}, "UNKNOWN-KEY", "router_setings"),
    ({"router_settings": {"redis_password": "hunter2"}}, "SECRET", "router_settings.redis_password"),
    ({"general_settings": {"database_url": "postgres://a:b@c"}}, "VALUE", "general_settings.database_url"),
    ({"credential_list": [{**NAMED, "credential_values": {"api_key": "a"}}]}, "SECRET", "credential_list[0].credential_values.api_key"),
    ({"credential_list": [{**NAMED, "credential_values": {}}, NAMED]}, "VALUE", "credential_list[1]"),
    ({"credential_list": ["a"]}, "VALUE", "credential_list[0]"),
    ({"general_settings": {"Master_Key": "hunter2"}}, "SECRET", "general_settings.Master_Key"),
    ({"callback_settings": {"hook": {"headers": {"Authorization": "Bearer hunter2"}}}}, "SECRET", "callback_settings.hook.headers.Authorization"),
    ({"callback_settings": {"hook": {"headers": {"X-Api-Key": "hunter2"}}}}, "SECRET", "callback_settings.hook.headers.X-Api-Key"),
    ({"router_settings": {"redis_url": "redis://:hunter2@x"}}, "SECRET", "router_settings.redis_url"),
    ({"general_settings": {"custom_auth": "a.b"}}, "VALUE", "general_settings.custom_auth"),
    ({"general_settings": {"custom_sso": "a.b"}}, "VALUE", "general_settings.custom_sso"),
    ({"general_settings": {"custom_key_generate": "a.b"}}, "VALUE", "general_settings.custom_key_generate"),
    ({"litellm_settings": {"post_call_rules": "a.b"}}, "VALUE", "litellm_settings.post_call_rules"),
    ({"litellm_settings": {"success_callback": ["otel", "a.b"]}}, "VALUE", "litellm_settings.success_callback[1]"),
    ({"litellm_settings": {"failure_callback": ["a.b"]}}, "VALUE", "litellm_settings.failure_callback[0]"),
    ({"router_settings": {"routing_strategy": "least-bussy"}}, "VALUE", "router_settings.routing_strategy"),
    ({"router_settings": {"set_verbose": True}}, "VALUE", "router_settings.set_verbose"),
    ({"router_settings": {"debug_level": "DEBUG"}}, "VALUE", "router_settings.debug_level"),
    ({"litellm_settings": {"callbacks": "prometheus"}}, "VALUE", "litellm_settings.callbacks"),
    ({"litellm_settings": {"callbacks": ["otel", "promethues"]}}, "VALUE", "litellm_settings.callbacks[1]"),
    ({"litellm_settings": {"callbacks": ["my_file.handler"]}}, "VALUE", "litellm_settings.callbacks[0]"),
    ({"router_settings": {"redis_password": "os.environ/NO"}}, "REFERENCE", "router_settings.redis_password"),
    ({"router_settings": {"redis_password": "x os.environ/KEY"}}, "VALUE", "router_settings.redis_password"),
    ({"litellm_settings": {"callbacks": ["os.environ/KEY"]}}, "VALUE", "litellm_settings.callbacks[0]"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "code", "path"), CONFIG)
def test_config_that_is_refused(config: dict[str, Any], code: str, path: str) -> None:
    plan = plan_of(external(), gateway({"extraConfig": config, "env": VARIABLE}))
    assert [(error.code, error.path) for error in plan.errors] == [(f"LOCO-{code}", f"spec.extraConfig.{path}")]
    assert "hunter2" not in str(plan.errors)
    assert plan.errors[0].cure


PARAMS: list[tuple[dict[str, Any], str, str]] = [
    ({"params": {"model": "x"}}, "VALUE", "params.model"),
    ({"params": {"api_base": "x"}}, "VALUE", "params.api_base"),
    ({"params": {"api_key": "x"}}, "VALUE", "params.api_key"),
    ({"params": {"extra_headers": {"a": "b"}}}, "VALUE", "params.extra_headers"),
    ({"params": {"rpm": 3}}, "VALUE", "params.rpm"),
    ({"params": {"weight": 3}}, "VALUE", "params.weight"),
    ({"params": {"aws_secret_access_key": "x"}}, "SECRET", "params.aws_secret_access_key"),
    ({"params": {"aws_secret_access_key": "os.environ/NO"}}, "REFERENCE", "params.aws_secret_access_key"),
    ({"info": {"id": "x"}}, "VALUE", "info.id"),
    ({"info": {"mode": "x"}}, "VALUE", "info.mode"),
]


@pytest.mark.parametrize(("spec", "code", "path"), PARAMS)
def test_parameters_that_are_refused(spec: dict[str, Any], code: str, path: str) -> None:
    for plan, before in (
        (plan_of(external(spec), gateway({"env": VARIABLE})), "spec."),
        (plan_of(service(), gateway({"env": VARIABLE, "services": {"chat": spec}})), "spec.services.chat."),
    ):
        assert [(error.code, error.path) for error in plan.errors] == [(f"LOCO-{code}", f"{before}{path}")]


@pytest.mark.parametrize("params", [{"max_tokens": 5}, {"aws_secret_access_key": "os.environ/KEY"}, {"tokenizer": "a"}])
def test_parameters_that_are_fine(params: dict[str, Any]) -> None:
    plan = plan_of(external({"provider": "bedrock", "params": params}), gateway({"env": VARIABLE}))
    assert not plan.findings


HOOK = {"callback_type": "generic_api", "endpoint": "http://hooks", "headers": {}}


@pytest.mark.parametrize(
    ("more", "image", "severities"),
    [
        ({"litellm_settings": {"callbacks": ["my_file.handler"]}}, "registry/own:1", ["warning"]),
        ({"litellm_settings": {"callbacks": ["hook"]}, "callback_settings": {"hook": HOOK}}, None, []),
        ({"litellm_settings": {"callbacks": ["prometheus", "otel", "langfuse_otel"]}}, None, []),
        ({"litellm_settings": {"callbacks": []}}, None, []),
    ],
)
def test_callbacks(more: dict[str, Any], image: str | None, severities: list[str]) -> None:
    plan = plan_of(external(), gateway({"extraConfig": more, **({"image": image} if image else {})}))
    assert [(found.code, found.severity) for found in plan.findings] == [("LOCO-VALUE", each) for each in severities]


@pytest.mark.parametrize(
    ("more", "meant"),
    [
        ({"litellm_settings": {"callbacks": ["promethues"]}}, "prometheus"),
        ({"router_settings": {"routing_strategy": "least-bussy"}}, "least-busy"),
    ],
)
def test_a_misspelt_word_is_told_its_name(more: dict[str, Any], meant: str) -> None:
    [error] = plan_of(external(), gateway({"extraConfig": more})).errors
    assert meant in error.cure


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("PORT", "warning LOCO-NO-EFFECT"),
        ("CONFIG_FILE_PATH", "error LOCO-VALUE"),
        ("LITELLM_CONFIG_BUCKET_NAME", "error LOCO-VALUE"),
        ("DEBUG", "error LOCO-VALUE"),
        ("DETAILED_DEBUG", "error LOCO-VALUE"),
        ("REDIS_PORT", None),
    ],
)
def test_variables_with_a_meaning_for_litellm(name: str, finding: str | None) -> None:
    plan = plan_of(external(), gateway({"env": [{"name": name, "value": "1"}]}))
    assert [f"{f.severity} {f.code} {f.path}" for f in plan.findings] == (
        [f"{finding} spec.env[0].name"] if finding else []
    )


@pytest.mark.parametrize(
    ("limits", "checks", "told"),
    [
        ({"requestsPerMinute": 3}, ["prompt_caching"], True),
        ({"tokensPerMinute": 3}, [], True),
        ({"requestsPerMinute": 3}, ["prompt_caching", "enforce_model_rate_limits"], False),
        ({"parallelRequests": 3}, ["prompt_caching"], False),
        ({"requestsPerMinute": 3}, None, False),
    ],
)
def test_limits_that_a_list_of_the_users_own_no_longer_enforces(limits: Any, checks: Any, told: bool) -> None:
    more = {"router_settings": {"optional_pre_call_checks": checks} if checks is not None else {}}
    findings = plan_of(external({"limits": limits}), gateway({"extraConfig": more})).findings
    path = "spec.extraConfig.router_settings.optional_pre_call_checks"
    assert [(f.code, f.severity, f.path) for f in findings] == ([("LOCO-NO-EFFECT", "warning", path)] if told else [])
