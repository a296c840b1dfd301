"""The programs of docs/programs.md run: they register what the page says, and are refused nothing."""

import re
from typing import Any

from tests.components.recorder import record
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/programs.md").read_text()
LOOP, RENAMED = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_loop_makes_a_stack_for_each_namespace() -> None:
    registered = record(lambda: exec(LOOP, {}), stack="prod")
    stacks = [each.name for each in registered if each.token == "loco:index:ModelServingStack"]
    assert stacks == ["models-search", "models-support"]
    services = {each.name for each in registered if each.token == "loco:index:LLMInferenceService"}
    assert services == {"search/bge-m3", "search/qwen3-8b", "support/qwen3-32b"}


def test_another_name_comes_with_an_alias() -> None:
    around: dict[str, Any] = {}

    def program() -> None:
        exec(LOOP, around)
        exec(RENAMED, around)

    (stack,) = [each for each in record(program, stack="prod") if each.name == "serving"]
    assert [alias.spec.name for alias in stack.request.aliases] == ["loco"]


def test_the_page_names_all_that_is_kept_under_the_components_name() -> None:
    kept = {
        each.name.partition("/")[2]
        for each in record(lambda: exec(LOOP, {}), stack="prod")
        if each.name.startswith("models-search/")
    }
    assert "deletionProtection" in kept
    assert kept <= set(re.findall(r"`<name>/([A-Za-z-]+)`", PAGE))
