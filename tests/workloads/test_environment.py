"""Secrets that a service's own environment names: made, read and rolled by as the stack says."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import plan_of, service

DECLARED: dict[str, Any] = {"tools": {"key": {"existing": True}}}


def with_env(*env: dict[str, Any], **config: Any) -> Plan:
    return plan_of(service({"template": {"containers": [{"name": "main", "env": list(env)}]}}), **config)


def variable(name: str, secret: str, key: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key, **more}}}


def test_declared_secret_is_read_and_rolls() -> None:
    plan = with_env(variable("TOOLS_KEY", "tools", "key"), credentials=DECLARED)
    (use,) = plan.credential_uses
    assert (use.secret, use.key, use.made_here, use.required, use.rolls) == ("tools", "key", False, True, True)
    assert use.reader.kind == "Deployment"
    assert plan.findings == ()


def test_optional_reference_is_not_required() -> None:
    plan = with_env(variable("TOOLS_KEY", "tools", "key", optional=True), credentials=DECLARED)
    assert [use.required for use in plan.credential_uses] == [False]


def test_undeclared_secret_is_a_warning_at_its_place() -> None:
    plan = with_env(variable("TOOLS_KEY", "tools", "key"))
    (warning,) = plan.findings
    assert (warning.code, warning.severity) == ("LOCO-CREDENTIAL", "warning")
    assert warning.path == "spec.template.containers[main].env[TOOLS_KEY]"
    assert "starts no new pods" in warning.message
    assert plan.credential_uses == ()


@pytest.mark.parametrize(
    ("secret", "key", "what", "near"),
    [
        ("hf", "token", "the Secret hf,", None),
        ("hff-token", "token", "the Secret hff-token,", "did you mean hf-token?"),
        ("hf-token", "tokn", "key tokn of the Secret hf-token,", "did you mean token?"),
    ],
)
def test_a_download_token_that_nobody_declares_is_told_once(secret: str, key: str, what: str, near: str | None) -> None:
    """A misspelled Secret leaves the pod of a gated model waiting; its init container has a copy of the variable."""
    declared = {"hf-token": {"token": {"existing": True}}}
    plan = with_env(variable("HF_TOKEN", secret, key), credentials=declared)
    (warning,) = [finding for finding in plan.findings if finding.code == "LOCO-CREDENTIAL"]
    assert warning.severity == "warning"
    assert warning.path == "spec.template.containers[main].env[HF_TOKEN]"
    assert what in warning.message
    assert "there for the download" in warning.message
    assert (near in warning.cure) if near else ("did you mean" not in warning.cure)
    assert f"{secret}: {{{key}: {{existing: true}}}}" in warning.cure


def test_a_token_of_the_download_alone_is_told_there() -> None:
    initializer = {"name": "storage-initializer", "env": [variable("HF_TOKEN", "hf", "token")]}
    plan = plan_of(service({"template": {"initContainers": [initializer]}}))
    assert [finding.path for finding in plan.findings] == [
        "spec.template.initContainers[storage-initializer].env[HF_TOKEN]"
    ]


def test_download_token_rolls_nothing() -> None:
    plan = with_env(variable("HF_TOKEN", "tools", "key"), credentials=DECLARED)
    assert [use.rolls for use in plan.credential_uses] == [False]


def test_the_same_key_read_twice_rolls_if_either_does() -> None:
    plan = with_env(variable("TOOLS_KEY", "tools", "key"), variable("HF_TOKEN", "tools", "key"), credentials=DECLARED)
    assert [use.rolls for use in plan.credential_uses] == [True]


def test_secret_of_the_stack_is_made_before_the_pods() -> None:
    declared = {"tools": {"key": {"config": "toolsKey"}}}
    plan = with_env(variable("TOOLS_KEY", "tools", "key"), credentials=declared)
    (secret,) = [manifest for manifest in plan.manifests if manifest.id.kind == "Secret"]
    assert secret.name == "tools"
    assert [(value.key, value.config) for value in plan.secret_values] == [("key", "toolsKey")]
    kinds = [manifest.id.kind for manifest in plan.manifests]
    assert kinds.index("Secret") < kinds.index("Deployment")
    assert plan.findings == ()
