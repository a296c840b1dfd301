"""A finding never repeats what could be a secret that somebody pasted into the wrong place."""

import json

import pytest

from loco.model import Finding
from tests.plan.stacks import external, plan_of

PASTED = "sk-pasted-by-accident"


@pytest.mark.parametrize(
    "path", ["spec.auth.apiKey", "credentials.openai.token", "openaiToken", "spec.masterKey", "dbPassword"]
)
def test_value_is_hidden(path: str) -> None:
    finding = Finding("LOCO-TYPE", "error", path, "m", "c", value=PASTED)
    assert PASTED not in str(finding)
    assert PASTED not in json.dumps(finding.as_dict())
    assert "(hidden)" in str(finding)


NAMES = {
    "spec.router.scheduler.config.ref.key": "epp.yaml",
    "spec.auth.apiKey.secretRef.name": "Openai_Key",
    "spec.auth.apiKey.secretRef.key": "api-key",
    "spec.auth.bearerToken.name": "hf-token",
    "spec.masterKey.secretRef.name": "master",
    "spec.template.containers[main].env[A].valueFrom.secretKeyRef.name": "hf-secret",
    'metadata.annotations["serving.kserve.io/storageSecretName"]': "S3-Credentials",
    "spec.template.volumes[v].secret.secretName": "certs",
    "spec.template.imagePullSecrets[0].name": "Pull",
    "platform.imagePullSecrets[0]": "Pull",
    "spec.expose.ingress.tlsSecret": "llm_tls",
    "spec.template.tolerations[0].key": "nvidia.com/gpu",
    "credentials.openai.token.config": "openaiToken",
    "spec.router.scheduler.tokenizer.template.restartPolicy": "Sometimes",
}


@pytest.mark.parametrize(("path", "name"), NAMES.items())
def test_a_name_is_no_secret(path: str, name: str) -> None:
    finding = Finding("LOCO-VALUE", "error", path, "m", "c", value=name)
    assert f'"{name}"' in str(finding)
    assert finding.as_dict()["value"] == name


@pytest.mark.parametrize(
    "value", [PASTED, "hf_abc", "ghp_0", "glpat-1", "AKIA0", "eyJhbGci", "k9" * 16, "two words", "a+b=", {"a": PASTED}]
)
@pytest.mark.parametrize("path", NAMES)
def test_what_is_no_name_stays_hidden_in_its_place(path: str, value: object) -> None:
    if "tokenizer" not in path:
        finding = Finding("LOCO-VALUE", "error", path, "m", "c", value=value)
        assert finding.as_dict()["value"] == "(hidden)"


def test_other_values_are_shown() -> None:
    assert '"two"' in str(Finding("LOCO-TYPE", "error", "spec.replicas", "m", "c", value="two"))


def test_user_and_password_of_a_url_are_hidden() -> None:
    finding = Finding("LOCO-VALUE", "error", "spec.url", "m", "c", value=f"https://me:{PASTED}@host/v1")
    assert PASTED not in str(finding) + json.dumps(finding.as_dict())
    assert "host/v1" in str(finding)


def test_planning_a_pasted_key_does_not_show_it() -> None:
    plan = plan_of(external({"auth": {"apiKey": PASTED}}), credentials={"openai": {"token": PASTED}})
    assert plan.errors
    assert all(PASTED not in str(finding) + json.dumps(finding.as_dict()) for finding in plan.findings)
