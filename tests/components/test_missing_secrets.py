"""What is said of somebody else's Secret that isn't there: where its value may come from."""

import pulumi
import pytest

from loco.components.secret_values import _missing
from loco.model import CredentialUse, ManifestId
from tests.components.recorder import record

GATEWAY = ManifestId("apps/v1", "Deployment", "llm", "main-litellm")


def use(credential: str, *, required: bool = True) -> CredentialUse:
    return CredentialUse(GATEWAY, credential, "llm", "keys", "url", made_here=False, required=required)


def say(missing: CredentialUse, what: str) -> None:
    record(lambda: _missing(missing, pulumi.ComponentResource("t:t:T", "parent"), what))


@pytest.mark.parametrize(
    ("credential", "generated"), [("master-key", "masterKey"), ("salt-key", "saltKey"), ("keys", None)]
)
def test_only_a_key_of_the_gateways_own_can_be_generated(credential: str, generated: str | None) -> None:
    with pytest.raises(pulumi.RunError) as refused:
        say(use(credential), "isn't there")
    told = str(refused.value)
    assert "key url of the Secret llm/keys, which isn't there" in told
    assert "credentials: {keys: {url: {config: NAME}}}" in told
    assert (f"{generated}: {{generate: true}}" in told) if generated else ("generate" not in told)


def test_what_pods_can_do_without_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))
    say(use("keys", required=False), "is empty")
    (told,) = said
    assert "which is empty" in told
    assert "generate" not in told
