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
