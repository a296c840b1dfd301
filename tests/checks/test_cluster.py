"""A stack that is applied names its cluster."""

from pathlib import Path
from typing import Any

import pytest

from loco.checks import check_cluster
from loco.spec import read_files, read_stack


def paths(config: dict[str, Any], stack: str) -> list[str]:
    return [finding.path for finding in check_cluster(read_stack(Path("/nonexistent"), config, stack=stack))]


@pytest.mark.parametrize(
    ("stack", "cluster", "expected"),
    [
        ("dev", {"context": "a"}, []),
        ("dev", {}, ["cluster.context"]),
        ("dev", {"identifier": "a"}, ["cluster.context"]),
        ("prod", {"context": "a", "identifier": "b"}, []),
        ("prod", {"context": "a"}, ["cluster.identifier"]),
        ("prod", {}, ["cluster.context", "cluster.identifier"]),
        ("prod", {"context": "", "identifier": ""}, ["cluster.context", "cluster.identifier"]),
    ],
)
def test_context_always_and_identifier_outside_dev(stack: str, cluster: dict[str, str], expected: list[str]) -> None:
    assert paths({"files": [], "cluster": cluster}, stack) == expected


def test_config_without_a_cluster() -> None:
    assert paths({"files": []}, "prod") == ["cluster.context", "cluster.identifier"]


def test_bare_files_need_no_cluster() -> None:
    assert not check_cluster(read_files([], None, {}))
