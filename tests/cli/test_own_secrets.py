"""``check --context``: a Secret that the config calls somebody else's, and that this very stack has made."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.cli.cluster.own_secrets import check_own_secrets
from loco.model import CredentialUse, ManifestId, Origin
from loco.spec.tree import Branch, plant
from tests.cli.pretended_cluster import Pretended, secret

GATEWAY = ManifestId("apps/v1", "Deployment", "llm", "main-litellm")
MINE = "annotations: {locostack.com/stack: serving/dev}"
CONFIG = plant({"credentials": {"openai": {"token": {"existing": True}}}}, Origin("config", "Pulumi.dev.yaml", 7))


def use(key: str = "token", *, made_here: bool = False) -> CredentialUse:
    return CredentialUse(GATEWAY, "openai", "llm", "openai", key, made_here=made_here)


@pytest.mark.parametrize(
    ("metadata", "uses", "maker", "hidden", "told"),
    [
        (MINE, [use()], "serving/dev", "", ["token"]),
        (MINE, [use(), use()], "serving/dev", "", ["token"]),
        (MINE, [use(), use("other")], "serving/dev", "", ["token", "other"]),
        (MINE, [use(made_here=True)], "serving/dev", "", []),
        (MINE, [use()], "serving/prod", "", []),
        (MINE, [use()], None, "", []),
        (MINE, [use()], "serving/dev", "Secret", []),
        ("labels: {}", [use()], "serving/dev", "", []),
        (None, [use()], "serving/dev", "", []),
    ],
)
def test_own_secrets(
    metadata: str | None, uses: list[CredentialUse], maker: str | None, hidden: str, told: list[str]
) -> None:
    there = [secret("openai", "token").replace("namespace: llm", f"namespace: llm, {metadata}")] if metadata else []
    cluster = Pretended([yaml.safe_load(text) for text in there], frozenset(hidden.split()))
    assert isinstance(CONFIG, Branch)
    findings = check_own_secrets(uses, maker, CONFIG, cluster)
    assert [finding.path for finding in findings] == [f"credentials.openai.{key}" for key in told]
    for finding in findings:
        assert (finding.code, finding.severity) == ("LOCO-CREDENTIAL", "error")
        assert "this stack has made the Secret llm/openai" in finding.message
    if told:
        assert findings[0].origin == Origin("config", "Pulumi.dev.yaml", 7)


PROJECT = {
    "Pulumi.yaml": "name: serving\nruntime: python\n",
    "Pulumi.dev.yaml": """\
config:
  serving:namespace: llm
  serving:cluster: {context: c}
  serving:credentials:
    openai: {token: {existing: true}}
""",
    "models/all.yaml": """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: a, url: https://api.openai.com/v1, auth: {apiKey: {secretRef: {name: openai, key: token}}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
""",
}


@pytest.mark.parametrize(("made_by", "told"), [("serving/dev", True), ("serving/prod", False), ("other/dev", False)])
def test_the_command_knows_project_and_stack(
    loco: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_by: str, told: bool
) -> None:
    pytest.importorskip("kubernetes")
    (tmp_path / "models").mkdir()
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path / "models")
    note = f"namespace: llm, annotations: {{locostack.com/stack: {made_by}}}"
    cluster = Pretended([yaml.safe_load(secret("openai", "token").replace("namespace: llm", note))])
    monkeypatch.setattr("loco.cli.cluster.kubeconfig.open_cluster", lambda *_: cluster)
    done = loco("check", "--context", "c")
    assert ("this stack has made the Secret llm/openai" in done.err) is told
    assert ("at credentials.openai.token in Pulumi.dev.yaml:5 (config)" in done.err) is told
