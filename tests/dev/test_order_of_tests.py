"""Which test files start first: the long ones, so that no worker ends up alone with one of them."""

from pathlib import Path
from types import SimpleNamespace

from tests.conftest import LONG, REPOSITORY, pytest_collection_modifyitems

TESTS = REPOSITORY / "tests"


def test_long_files_are_there_and_each_once() -> None:
    assert [file for file in LONG if not (TESTS / file).is_file()] == []
    assert len(set(LONG)) == len(LONG)


def test_long_files_come_first_and_tests_of_a_file_stay_in_order() -> None:
    def item(file: str, name: str) -> SimpleNamespace:
        return SimpleNamespace(path=Path(TESTS / file), name=name)

    short, first, second = "e2e/test_routes.py", LONG[0], LONG[1]
    items = [item(short, "b"), item(short, "a"), item(second, "b"), item(first, "b"), item(second, "a")]
    pytest_collection_modifyitems(items)  # type: ignore[arg-type]
    found = [(str(one.path.relative_to(TESTS)), one.name) for one in items]
    assert found == [(first, "b"), (second, "b"), (second, "a"), (short, "b"), (short, "a")]
