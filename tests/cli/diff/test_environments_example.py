"""examples/environments: three stacks of one set of model files, each without a finding."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

Run = Callable[..., Any]
GOLDEN = Path(__file__).with_name("staging-prod.txt")


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "environments"
    shutil.copytree(REPOSITORY / "examples/environments", folder, ignore=shutil.ignore_patterns(".venv", "__pycache__"))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_each_stack_is_accepted_without_a_word(loco: Run, example: Path, stack: str) -> None:
    assert example.is_dir()
    assert loco("check", "--stack", stack) == (0, "nothing to say: no errors, no warnings\n", "")


def test_what_differs_between_staging_and_prod(loco: Run, example: Path) -> None:
    """Made by `loco diff staging prod > tests/cli/diff/staging-prod.txt` in the example's folder."""
    assert example.is_dir()
    done = loco("diff", "staging", "prod")
    assert (done.status, done.err) == (0, "")
    assert done.out == GOLDEN.read_text()
    assert done == loco("diff", "staging", "prod"), "the same bytes"


def test_the_readme_shows_a_part_of_that(example: Path) -> None:
    [shown] = [part for part in (example / "README.md").read_text().split("```\n") if "--- staging" in part]
    lines = [line for line in shown.partition("--- staging\n")[2].splitlines() if line.strip() not in ("", "…")]
    assert len(lines) > 5
    assert set(lines) <= set(GOLDEN.read_text().splitlines())


def test_the_page_shows_a_part_of_that() -> None:
    page = (REPOSITORY / "docs/environments.md").read_text()
    [shown] = [part for part in page.split("```\n") if "--- staging" in part]
    lines = [line for line in shown.partition("--- staging\n")[2].splitlines() if line.strip() not in ("", "…")]
    assert len(lines) > 5
    assert set(lines) <= set(GOLDEN.read_text().splitlines())


def test_the_program_is_the_repositorys_own(example: Path) -> None:
    assert (example / "__main__.py").read_text() == (REPOSITORY / "__main__.py").read_text()
