"""The workflow as it is written: its YAML, its rights, what it pins, what may reach whom."""

import re

import pytest
import yaml
from yamllint import linter
from yamllint.config import YamlLintConfig

from dev.toolchain.table import PULUMI as PULUMI_TOOL
from tests.cli.report.workflow import FILE, WORKFLOW, of_gitlab

LINT = YamlLintConfig("{extends: default, rules: {line-length: {max: 160}}}")


@pytest.mark.parametrize("text", [FILE.read_text(), "---\n" + of_gitlab()], ids=["GitHub", "GitLab"])
def test_the_yaml_has_no_mistakes(text: str) -> None:
    assert [str(problem) for problem in linter.run(text, LINT)] == []


def test_rights_are_the_least() -> None:
    assert WORKFLOW["permissions"] == {}
    assert WORKFLOW["jobs"]["report"]["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert WORKFLOW["jobs"]["drift"]["permissions"] == {"contents": "read"}
    assert "pull_request" in WORKFLOW["on"]
    assert "pull_request_target" not in FILE.read_text()


def test_actions_are_pinned_and_keep_no_token() -> None:
    steps = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+\.\d+\.\d+", each) for each in used)
    assert all(
        s["with"]["persist-credentials"] is False for s in steps if s.get("uses", "").startswith("actions/checkout@")
    )


def test_pulumi_is_the_version_that_the_tests_run_with() -> None:
    assert WORKFLOW["env"]["PULUMI_VERSION"] == PULUMI_TOOL.version
    assert yaml.safe_load(of_gitlab())["report"]["variables"]["PULUMI_VERSION"] == PULUMI_TOOL.version
    for job in WORKFLOW["jobs"].values():
        [installing] = [step for step in job["steps"] if step.get("uses", "").startswith("pulumi/actions@")]
        assert installing["with"] == {"pulumi-version": "${{ env.PULUMI_VERSION }}"}


def test_a_place_for_cloud_logins_which_is_empty() -> None:
    """What is commented out there is what GitHub would take."""
    text = FILE.read_text()
    assert text.count("# A cloud login goes here") == text.count("# id-token: write") == len(WORKFLOW["jobs"])
    filled_in = re.sub(
        r"^( +)# (?=- uses: aws|  if: env|  with:|    role-to|    aws-reg|AWS_|id-token)", r"\1", text, flags=re.M
    )
    found = yaml.safe_load(filled_in)
    for job in found["jobs"].values():
        assert job["permissions"]["id-token"].startswith("write")
    [login] = [step for step in found["jobs"]["report"]["steps"] if step.get("uses", "").startswith("aws-actions/")]
    assert login["if"] == "env.TRUSTED == 'true'"
    ids = [step.get("id") or step.get("uses") for step in found["jobs"]["report"]["steps"]]
    assert ids.index(login["uses"]) == ids.index("report") - 1
    for name in ("report", "drift"):
        [step] = [each for each in found["jobs"][name]["steps"] if each.get("id") == name]
        assert step["env"].keys() >= {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"}


def test_no_expression_stands_in_a_script_and_no_secret_reaches_a_step_of_others() -> None:
    for job in WORKFLOW["jobs"].values():
        assert "secrets." not in str(job.get("env"))
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            if "secrets." in str(step.get("env")):
                assert step["id"] in ("kubeconfig", "report", "drift")
