"""Secrets where they don't belong: in the config's text, in literal variables, in an autoscaler's object."""

from typing import Any

import pytest

from loco.gateway.plain_secrets import holds_password
from tests.gateway.observability.stacks import watched
from tests.plan.stacks import external, gateway, plan_of

URL = "postgresql://litellm:hunter2@db.data.svc:5432/litellm"


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (URL, True),
        ("rediss://:hunter2@redis:6380", True),
        ("see https://a:b@c/d", True),
        ("https://api.openai.com/v1", False),
        ("https://user@host/", False),
        ("http://host:80/a@b", False),
        ("a:b@c", False),
        ("", False),
    ],
)
def test_urls_with_passwords(text: str, there: bool) -> None:
    assert holds_password(text) is there


KEDA = {"type": "redis", "metadata": {"address": "redis:6379", "password": "hunter2"}}


@pytest.mark.parametrize(
    ("spec", "path", "severity"),
    [
        ({"extraConfig": {"general_settings": {"elsewhere": URL}}}, "extraConfig.general_settings.elsewhere", "error"),
        ({"env": [{"name": "SOMETHING", "value": URL}]}, "env[0].value", "error"),
        ({"env": [{"name": "LANGFUSE_SECRET_KEY", "value": "hunter2"}]}, "env[0].value", "warning"),
        ({"env": [{"name": "LANGFUSE_PUBLIC_KEY", "value": "pk"}]}, None, ""),
        ({"env": [{"name": "OPENAI_API_KEY", "value": "none"}]}, None, ""),
        (
            {"autoscaling": {"maxReplicas": 2, "keda": {"triggers": [KEDA]}}},
            "autoscaling.keda.triggers[0].metadata.password",
            "error",
        ),
    ],
)
def test_of_a_gateway(spec: dict[str, Any], path: str | None, severity: str) -> None:
    plan = plan_of(external(), gateway(spec))
    told = [finding for finding in plan.findings if finding.code == "LOCO-SECRET"]
    assert [(f.path, f.severity) for f in told] == ([(f"spec.{path}", severity)] if path else [])
    assert "hunter2" not in str(told)


@pytest.mark.parametrize("field", ["params", "info"])
def test_of_a_model(field: str) -> None:
    (error,) = plan_of(external({field: {"proxy": URL}}), gateway()).errors
    assert (error.code, error.path) == ("LOCO-SECRET", f"spec.{field}.proxy")
    assert "hunter2" not in str(error)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("DATABASE_URL", "LOCO-VALUE"),
        ("CONFIG_FILE_PATH", "LOCO-VALUE"),
        ("DETAILED_DEBUG", "LOCO-VALUE"),
        ("PORT", "LOCO-NO-EFFECT"),
        ("REDIS_URL", "LOCO-DUPLICATE"),
        ("REDIS_SENTINEL_NODES", "LOCO-DUPLICATE"),
        ("LITELLM_LOG", "LOCO-DUPLICATE"),
        ("REDIS_SOCKET_TIMEOUT", None),
    ],
)
@pytest.mark.parametrize("where", ["gateway", "observability"])
def test_variables_are_judged_alike_wherever_they_are_written(name: str, code: str | None, where: str) -> None:
    env, redis = [{"name": name, "value": "none"}], {"redis": {"host": "redis"}}
    own = {"callbacks": ["arize"]}
    if where == "gateway":
        plan = watched(own, external(), gateway({**redis, "env": env}))
    else:
        plan = watched({**own, "env": env}, external(), gateway(redis))
    assert [(finding.code, finding.path) for finding in plan.findings] == ([(code, "spec.env[0].name")] if code else [])
