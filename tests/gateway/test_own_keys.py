"""Keys and variables of the gateway's own: made once, rotated when asked, one source each."""

from typing import Any

import pytest

from tests.gateway.configs import env_of, secrets
from tests.plan.stacks import external, found, gateway, plan_of, service


def reference(name: str) -> dict[str, Any]:
    return {"valueFrom": {"secretKeyRef": {"name": name, "key": "k"}}}


DATABASE = {"secretRef": {"name": "db", "key": "k"}}
DECLARED = {"db": {"k": {"existing": True}}}


@pytest.mark.parametrize(
    ("spec", "told"),
    [({}, True), ({"database": DATABASE}, False), ({"env": [{"name": "OTHER", **reference("db")}]}, True)],
)
def test_a_salt_key_without_a_database_is_told(spec: dict[str, Any], told: bool) -> None:
    credentials = DECLARED if spec else {}
    plan = plan_of(service(), gateway({"saltKey": {"generate": True}, **spec}), credentials=credentials)
    warned = [finding.path for finding in found(plan, "LOCO-NO-EFFECT", "warning")]
    assert ("spec.saltKey" in warned) is told


@pytest.mark.parametrize("spec", [{"saltKey": {"generate": True}}, {}])
def test_salt_key_that_the_stack_makes(spec: dict[str, Any]) -> None:
    plan = plan_of(service(), gateway({"database": DATABASE, **spec}), credentials=DECLARED)
    assert not plan.findings
    assert sorted(secret.name for secret in secrets(plan)) == ["main-litellm-master-key", "main-litellm-salt-key"]
    made = {(value.secret.name, value.key): value.generated for value in plan.secret_values}
    assert made["main-litellm-salt-key", "salt-key"] == "salt-key"
    source = env_of(plan)["LITELLM_SALT_KEY"]["valueFrom"]["secretKeyRef"]
    assert source == {"name": "main-litellm-salt-key", "key": "salt-key"}, "pods can't do without"
    assert {use.credential for use in plan.credential_uses if use.required} == {"db", "master-key", "salt-key"}


def test_salt_key_is_nothing_unless_asked_for() -> None:
    assert "LITELLM_SALT_KEY" not in env_of(plan_of(service(), gateway()))


def test_salt_key_of_somebody_elses() -> None:
    """Such as that of a database which was there before the gateway."""
    spec = {"database": DATABASE, "saltKey": {"secretRef": {"name": "db", "key": "k"}}}
    plan = plan_of(service(), gateway(spec), credentials=DECLARED)
    assert not plan.findings
    assert env_of(plan)["LITELLM_SALT_KEY"]["valueFrom"]["secretKeyRef"] == {"name": "db", "key": "k"}
    assert [secret.name for secret in secrets(plan)] == ["main-litellm-master-key"]


@pytest.mark.parametrize(
    ("salt", "credentials", "path"),
    [
        ({"secretRef": {"name": "s", "key": "k"}}, {}, "spec.saltKey.secretRef"),
        ({"secretRef": {"name": "s", "key": "k"}}, {"s": {"k": {"existing": True}}}, None),
        ({"secretRef": {"name": "s", "key": "k"}}, {"s": {"k": {"config": "x"}}}, None),
        ({"secretRef": {"name": "s", "key": "k"}}, {"s": {"other": {"config": "x"}}}, "spec.saltKey.secretRef"),
        ({"generate": True}, {"main-litellm-salt-key": {"salt-key": {"config": "x"}}}, "spec.saltKey"),
        ({"generate": True, "secretRef": {"name": "s", "key": "k"}}, {}, "spec.saltKey"),
        ({}, {}, "spec.saltKey"),
    ],
)
def test_salt_key_has_one_source(salt: Any, credentials: Any, path: str | None) -> None:
    plan = plan_of(service(), gateway({"saltKey": salt}), credentials=credentials)
    assert [error.path for error in plan.errors] == ([path] if path else [])


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        ({}, {"master-key": None, "salt-key": None}),
        ({"masterKeys": "2026-12"}, {"master-key": "2026-12", "salt-key": None}),
        ({"masterKeys": 2}, {"master-key": "2", "salt-key": None}),
        ({"saltKeys": "a"}, {"master-key": None, "salt-key": "a"}),
    ],
)
def test_rotation_asks_for_another_key(rotation: dict[str, Any], expected: dict[str, Any]) -> None:
    plan = plan_of(service(), gateway({"saltKey": {"generate": True}}), rotation=rotation)
    assert [finding.path for finding in plan.findings] == ["spec.saltKey"]
    assert {value.generated: value.rotation for value in plan.secret_values} == expected


@pytest.mark.parametrize(
    ("spec", "key"),
    [({"masterKey": {"secretRef": {"name": "s", "key": "k"}}}, "masterKeys"), ({}, "saltKeys")],
)
def test_rotation_of_what_the_stack_does_not_make_is_told(spec: dict[str, Any], key: str) -> None:
    declared = {"s": {"k": {"existing": True}}} if spec else {}
    plan = plan_of(service(), gateway(spec), rotation={key: "1"}, credentials=declared)
    (warning,) = found(plan, "LOCO-NO-EFFECT", "warning")
    assert warning.path == f"rotation.{key}"


def test_variables_of_the_users_own() -> None:
    env = [{"name": "REDIS_HOST", "value": "redis"}, {"name": "REDIS_PASSWORD", **reference("redis")}]
    plan = plan_of(service(), gateway({"env": env}), credentials={"redis": {"k": {"existing": True}}})
    assert not plan.findings
    assert env_of(plan)["REDIS_HOST"] == {"name": "REDIS_HOST", "value": "redis"}
    source = env_of(plan)["REDIS_PASSWORD"]["valueFrom"]["secretKeyRef"]
    assert source == {"name": "redis", "key": "k", "optional": True}
    assert "redis" in {use.credential for use in plan.credential_uses}, "its rotation rolls the pods"


@pytest.mark.parametrize(
    ("env", "code", "path"),
    [
        ([{"name": "a-b", "value": "x"}], "VALUE", "spec.env[a-b].name"),
        ([{"name": "lower", "value": "x"}], "VALUE", "spec.env[lower].name"),
        ([{"name": "A"}], "VALUE", "spec.env[A]"),
        ([{"name": "A", "value": "x"}, {"name": "A", "value": "y"}], "VALUE", "spec.env"),
        ([{"name": "A", "value": 1}], "TYPE", "spec.env[A].value"),
        ([{"name": "LITELLM_MASTER_KEY", "value": "x"}], "DUPLICATE", "spec.env[0].name"),
        ([{"name": "HOME", "value": "/"}], "DUPLICATE", "spec.env[0].name"),
        ([{"name": "EXTERNALMODEL__GPT", "value": "x"}], "DUPLICATE", "spec.env[0].name"),
        ([{"name": "A", **reference("nobody")}], "CREDENTIAL", "spec.env[0].valueFrom"),
    ],
)
def test_variables_that_are_refused(env: Any, code: str, path: str) -> None:
    plan = plan_of(external(), gateway({"env": env}))
    assert [(error.code, error.path) for error in plan.errors] == [(f"LOCO-{code}", path)]
