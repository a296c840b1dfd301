"""Every row of the recorded reports about LiteLLM on Kubernetes has tests that are there; case_rows.yaml names them."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import REPOSITORY

TESTS = REPOSITORY / "tests"
ROWS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "case_rows.yaml").read_text())


@cache
def functions(file: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(file.read_text())) if file.is_file() else ()
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def reported(text: str) -> dict[str, str]:
    """Each row by its number; of the second table n1, n2 and so on; what is said without a table is the last."""
    rows: dict[str, str] = {}
    tables, separated = 0, False
    for line in text.splitlines():
        if line.startswith("| ---"):
            tables, separated = tables + 1, True
        elif line.startswith("|") and separated:
            number = line.split("|")[1].strip() if tables == 1 else f"n{sum(row[0] == 'n' for row in rows) + 1}"
            rows[number] = line
        elif not line.startswith("|"):
            separated = False
            if line and tables > 1:
                assert "last" not in rows, "one text behind the tables is known"
                rows["last"] = line
    return rows


def test_every_row_is_known(shared: Path) -> None:
    rows = reported((shared / "cases/gateway.md").read_text())
    known = {str(row["row"]): row["word"] for row in ROWS}
    assert known.keys() == rows.keys()
    assert len(known) == len(ROWS)
    assert [number for number, word in known.items() if word not in rows[number]] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["row"]))
def test_its_tests_are_there(row: dict[str, Any]) -> None:
    assert row["tests"]
    for name in row["tests"]:
        file, _, function = name.partition("::")
        assert function.startswith("test_")
        assert function in functions(TESTS / file), name


def test_a_row_without_a_test_is_found() -> None:
    text = "# a\n\n| no. | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n\n## c\n\n| d |\n| --- |\n| z |\n| z |\n\nfin\n"
    assert list(reported(text)) == ["1", "2", "n1", "n2", "last"]
