"""Where a gateway's replicas count together, and what is said where they don't."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.gateway.configs import config_of, env_of
from tests.plan.stacks import external, found, gateway, plan_of

PASSWORD = {"password": {"secretRef": {"name": "cache", "key": "password"}}}
BY_URL = {"url": {"secretRef": {"name": "cache", "key": "url"}}}
CREDENTIALS = {"cache": {"password": {"existing": True}, "url": {"existing": True}}}
LIMITED = {"limits": {"requestsPerMinute": 5}}


def planned(redis: dict[str, Any]) -> Plan:
    plan = plan_of(external(), gateway({"redis": redis}), credentials=CREDENTIALS)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


@pytest.mark.parametrize(
    ("redis", "written"),
    [
        ({"host": "cache"}, {"host": "cache", "port": 6379}),
        ({"host": "cache", "port": 6380, "tls": True}, {"host": "cache", "port": 6380, "ssl": True}),
        ({"host": "cache", "tls": False}, {"host": "cache", "port": 6379}),
        (
            {"host": "cache", "username": "u", **PASSWORD},
            {"host": "cache", "port": 6379, "username": "u", "password": "os.environ/REDIS_PASSWORD"},
        ),
        (BY_URL, {"url": "os.environ/REDIS_URL"}),
    ],
)
def test_settings_of_the_config(redis: dict[str, Any], written: dict[str, Any]) -> None:
    config = config_of(planned(redis))
    assert config["general_settings"]["coordination_redis"] == written
    assert "cache" not in config["litellm_settings"], "answers are kept only where extraConfig asks for it"


def test_password_may_be_missing_and_the_url_may_not() -> None:
    """Without the password LiteLLM counts by itself; without the URL it doesn't start."""
    password = env_of(planned({"host": "cache", **PASSWORD}))["REDIS_PASSWORD"]["valueFrom"]["secretKeyRef"]
    url = env_of(planned(BY_URL))["REDIS_URL"]["valueFrom"]["secretKeyRef"]
    assert password == {"name": "cache", "key": "password", "optional": True}
    assert url == {"name": "cache", "key": "url"}
    required = {
        use.key: use.required
        for plan in (planned({"host": "c", **PASSWORD}), planned(BY_URL))
        for use in plan.credential_uses
    }
    assert required == {"master-key": True, "password": False, "url": True}


@pytest.mark.parametrize(
    ("spec", "code", "path"),
    [
        ({"redis": {}}, "VALUE", "spec.redis"),
        ({"redis": {"host": "a", **BY_URL}}, "VALUE", "spec.redis"),
        ({"redis": {**BY_URL, "port": 1}}, "VALUE", "spec.redis.port"),
        ({"redis": {**BY_URL, "tls": False}}, "VALUE", "spec.redis.tls"),
        ({"redis": {"host": "a", "username": "u"}}, "VALUE", "spec.redis.username"),
        ({"redis": {"host": "a", "username": "os.environ/U", **PASSWORD}}, "VALUE", "spec.redis.username"),
        ({"redis": {"host": "redis://a"}}, "VALUE", "spec.redis.host"),
        ({"redis": {"host": "a", "port": 0}}, "VALUE", "spec.redis.port"),
        ({"redis": {"url": {"secretRef": {"name": "x", "key": "k"}}}}, "CREDENTIAL", "spec.redis.url.secretRef"),
        (
            {"redis": {"host": "a"}, "extraConfig": {"router_settings": {"redis_host": "b"}}},
            "VALUE",
            "spec.extraConfig.router_settings.redis_host",
        ),
        (
            {"redis": BY_URL, "env": [{"name": "REDIS_URL", "value": "b"}]},
            "DUPLICATE",
            "spec.env[0].name",
        ),
    ],
)
def test_redis_that_is_refused(spec: dict[str, Any], code: str, path: str) -> None:
    errors = plan_of(external(), gateway(spec), credentials=CREDENTIALS).errors
    assert [(error.code, error.path) for error in errors] == [(f"LOCO-{code}", path)]


def test_a_cache_of_answers_may_use_its_password() -> None:
    cache = {"cache": True, "cache_params": {"type": "redis", "host": "c", "password": "os.environ/REDIS_PASSWORD"}}
    spec = {"redis": {"host": "c", **PASSWORD}, "extraConfig": {"litellm_settings": cache}}
    assert not plan_of(external(), gateway(spec), credentials=CREDENTIALS).errors


@pytest.mark.parametrize(
    ("spec", "limits", "path"),
    [
        ({"replicas": 2}, LIMITED, "spec.replicas"),
        ({"replicas": 2}, {"limits": {"tokensPerMinute": 5}}, "spec.replicas"),
        ({"autoscaling": {"minReplicas": 1, "maxReplicas": 2}}, LIMITED, "spec.autoscaling"),
        ({"replicas": 1}, LIMITED, None),
        ({"autoscaling": {"minReplicas": 1, "maxReplicas": 1}}, LIMITED, None),
        ({}, LIMITED, None),
        ({"replicas": 2}, {}, None),
        ({"replicas": 2}, {"limits": {"parallelRequests": 5}}, None),
        ({"replicas": 2, "redis": {"host": "a"}}, LIMITED, None),
        ({"replicas": 2, "extraConfig": {"router_settings": {"redis_host": "a"}}}, LIMITED, None),
        ({"replicas": 2, "extraConfig": {"general_settings": {"coordination_redis": {"host": "a"}}}}, LIMITED, None),
        ({"replicas": 2, "env": [{"name": "REDIS_HOST", "value": "a"}]}, LIMITED, None),
        ({"replicas": 2, "env": [{"name": "REDIS", "value": "a"}]}, LIMITED, "spec.replicas"),
    ],
)
def test_limits_that_each_replica_counts_for_itself_are_told(
    spec: dict[str, Any], limits: dict[str, Any], path: str | None
) -> None:
    plan = plan_of(external(limits), gateway(spec))
    assert not plan.errors
    assert [warning.path for warning in found(plan, "LOCO-LIMITS", "warning")] == ([path] if path else [])
