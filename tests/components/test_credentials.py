"""Secrets and their digests, as the engine gets them."""

import re
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from loco import ModelServingStack, make_provider
from loco.components.secret_values import secret_value
from loco.model import ManifestId, SecretValue
from loco.spec import StackSpec
from tests.components.recorder import Registration, Secret, record

MakeStack = Callable[..., StackSpec]

EXTERNAL: dict[str, Any] = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "ExternalModel",
    "metadata": {"name": "gpt"},
    "spec": {
        "provider": "openai",
        "model": "gpt-4o-mini",
        "url": "https://api.openai.com/v1",
        "auth": {
            "apiKey": {"secretRef": {"name": "openai", "key": "token"}},
            "headers": [
                {"name": "X-Tenant", "valueFrom": {"secretKeyRef": {"name": "tenant", "key": "id"}}},
            ],
        },
    },
}
GATEWAY = {"apiVersion": "locostack.com/v1alpha1", "kind": "LiteLLMGateway", "metadata": {"name": "main"}, "spec": {}}
CREDENTIALS = {"openai": {"token": {"config": "openaiToken"}}, "tenant": {"id": {"config": "tenantId"}}}
VALUES = {"openaiToken": "sk-one", "tenantId": "t1"}


def registered(spec: StackSpec, values: dict[str, str] | None = None) -> list[Registration]:
    return record(lambda: ModelServingStack("loco", spec, credentials=values or VALUES))


@pytest.fixture
def spec(make_stack: MakeStack) -> StackSpec:
    return make_stack(EXTERNAL, GATEWAY, credentials=CREDENTIALS, secrets=tuple(VALUES))


def named(registrations: list[Registration], name: str) -> Registration:
    (found,) = [registration for registration in registrations if registration.name == name]
    return found


def annotations(registrations: list[Registration]) -> dict[str, Any]:
    (deployment,) = [found for found in registrations if found.token == "kubernetes:apps/v1:Deployment"]
    found: dict[str, Any] = deployment.props["spec"]["template"]["metadata"]["annotations"]
    return found


def test_secret_holds_the_value_and_is_secret(spec: StackSpec) -> None:
    data = named(registered(spec), "stack/llm/openai").props["stringData"]
    assert data == Secret({"token": "sk-one"}) or data == Secret({"token": Secret("sk-one")})


def test_one_digest_for_each_source_and_one_for_all(spec: StackSpec) -> None:
    digests = annotations(registered(spec))
    assert sorted(digests) == [
        "locostack.com/configHash",
        "locostack.com/digest.config",
        "locostack.com/digest.master-key",
        "locostack.com/digest.openai",
        "locostack.com/digest.tenant",
    ]
    assert all(re.fullmatch("[0-9a-f]{16}", str(digest)) for digest in digests.values()), "plain, so a diff shows them"


def test_digests_have_a_key_of_their_own(spec: StackSpec) -> None:
    """Two runs under mocks have two keys, so a digest can't be the value's own hash."""
    first, second = annotations(registered(spec)), annotations(registered(spec))
    assert first["locostack.com/digest.config"] == second["locostack.com/digest.config"]
    assert first["locostack.com/digest.openai"] != second["locostack.com/digest.openai"]


@pytest.mark.parametrize(
    ("changed", "moved"),
    [({"openaiToken": "sk-two"}, "openai"), ({"tenantId": "t2"}, "tenant")],
)
def test_a_new_value_moves_its_own_digest_and_the_common_one(
    spec: StackSpec, changed: dict[str, str], moved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loco.components.digests.secrets.token_hex", lambda count: "0" * 2 * count)
    before, after = annotations(registered(spec)), annotations(registered(spec, {**VALUES, **changed}))
    master = "locostack.com/digest.master-key"  # under mocks there is no state that keeps it
    different = {name for name in before if before[name] != after[name]} - {master}
    assert different == {f"locostack.com/digest.{moved}", "locostack.com/configHash"}


def test_master_key_is_made_once(spec: StackSpec) -> None:
    kept = named(registered(spec), "master-key/llm/main-litellm-master-key")
    assert isinstance(kept.props["input"], Secret)
    assert re.fullmatch("sk-[0-9a-f]{48}", kept.props["input"].value)
    assert list(kept.request.ignoreChanges) == ["input"]


def test_a_generated_credential_is_made_once(make_stack: MakeStack) -> None:
    declared = {"openai": {"token": {"generate": True}}, "tenant": {"id": {"config": "tenantId"}}}
    spec = make_stack(EXTERNAL, GATEWAY, credentials=declared, secrets=("tenantId",))
    kept = named(registered(spec), "token/llm/openai/token")
    assert re.fullmatch("[0-9a-f]{48}", kept.props["input"].value)
    assert list(kept.request.ignoreChanges) == ["input"]


def test_a_stack_secret_comes_from_the_config() -> None:
    wanted = SecretValue(ManifestId("v1", "Secret", "llm", "openai"), "token", "openaiToken")
    seen: list[str] = []

    def program() -> None:
        pulumi.runtime.set_config("loco:openaiToken", "sk-from-config")
        parent = pulumi.ComponentResource("t:t:T", "parent")
        secret_value(wanted, None, parent).apply(seen.append)

    record(program)
    assert seen == ["sk-from-config"]


def test_a_program_may_bring_a_provider(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))
    spec = make_stack(cluster={"createNamespaces": True})

    def program() -> None:
        provider = make_provider("mine", context="anywhere")
        ModelServingStack("loco", spec, opts=pulumi.ResourceOptions(provider=provider))

    everything = record(program)
    providers = [registration for registration in everything if registration.token.startswith("pulumi:providers")]
    assert [provider.name for provider in providers] == ["mine"]
    objects = [registration for registration in everything if registration.token.startswith("kubernetes:")]
    assert objects
    assert all("::mine::" in registration.request.provider for registration in objects)
    assert said == []


def test_a_provider_that_loco_has_not_made_is_a_warning(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))
    spec = make_stack(cluster={"createNamespaces": True})

    def program() -> None:
        provider = pulumi.ProviderResource("kubernetes", "theirs", {})
        ModelServingStack("loco", spec, opts=pulumi.ResourceOptions(provider=provider))

    record(program)
    assert len(said) == 1
    assert "LOCO-PROVIDER" in said[0]
    assert "enable_secret_mutable" in said[0]
