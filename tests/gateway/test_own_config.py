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
        "credential_list": [{"credential_name": "a", "credential_values": {"api_key": "os.environ/KEY"}}],
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
    ({"general_settings": {"database_url": "postgres://a:b@c"}}, "SECRET", "general_settings.database_url"),
    ({"credential_list": [{"credential_values": {"api_key": "a"}}]}, "SECRET", "credential_list[0].credential_values.api_key"),
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
