"""The documents say what the code does."""

import re

from dev.differences_page import page
from tests.conftest import REPOSITORY


def test_every_code_is_documented_and_nothing_else() -> None:
    source = "\n".join(path.read_text() for path in (REPOSITORY / "loco").rglob("*.py"))
    codes = set(re.findall(r"LOCO-[A-Z]+(?:-[A-Z]+)*", source))
    rows = set(re.findall(r"^\| `(LOCO-[A-Z-]+)`", (REPOSITORY / "docs/findings.md").read_text(), re.MULTILINE))
    assert rows == codes


def test_the_page_of_differences_is_made_from_the_list() -> None:
    assert (REPOSITORY / "docs/differences.md").read_text() == page()
