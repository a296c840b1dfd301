"""The program of docs/other-languages.md: its documents are planned, and its properties are the package's."""

import re
from typing import Any

import pytest
import yaml

from loco.components.package_schema import OUTPUTS, TOKEN, schema
from loco.plan import plan_stack
from loco.spec import read_stack
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/other-languages.md").read_text()


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    whole = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    (found,) = (program for program in whole if "runtime" in program)
    return dict(found)


def test_the_program_is_planned_without_a_word(program: dict[str, Any]) -> None:
    given = program["resources"]["serving"]["properties"]
    spec = read_stack(".", given["config"], stack="prod", documents=given["documents"], secrets=given["credentials"])
    plan = plan_stack(spec)
    assert [str(finding) for finding in plan.findings] == []
    assert (len(plan.resolved), len(plan.gateways)) == (1, 1)


def test_the_program_fits_the_schema(program: dict[str, Any]) -> None:
    component = schema()["resources"][TOKEN]
    serving = program["resources"]["serving"]
    assert serving["type"].replace(":", ":index:") == TOKEN
    assert set(component["requiredInputs"]) <= set(serving["properties"]) <= set(component["inputProperties"])
    assert program["outputs"] == {name: f"${{serving.{name}}}" for name in OUTPUTS}
    assert program["packages"]["loco"].endswith("/package")


def test_every_argument_is_explained() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(schema()["resources"][TOKEN]["inputProperties"])
