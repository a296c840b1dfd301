"""The page beside LiteLLM's charts: fifteen rows, each held to its word by a test that is there."""

import re

from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs/litellm-charts.md"
ROWS = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if re.match(r"\| \d+\. ", line)]


def test_every_row_names_tests_that_are_there() -> None:
    assert [int(row[0].partition(".")[0]) for row in ROWS] == list(range(1, 16))
    for _, charts, own, tests in ROWS:
        assert charts, own
        named = re.findall(r"`([^`]+)`", tests)
        assert named
        for path in named:
            found = REPOSITORY / path
            files = [found] if found.is_file() else sorted(found.rglob("test_*.py"))
            assert any("def test_" in file.read_text() for file in files), path
