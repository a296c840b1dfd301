"""The line by which a new project gets the loco that made it."""

import json
from importlib.metadata import Distribution
from typing import Any

import pytest

from loco.cli.init.requirement import own_requirement


class Installed(Distribution):
    """A distribution with what pip wrote beside it."""

    def __init__(self, source: dict[str, Any] | None) -> None:
        self.source = source

    def read_text(self, filename: str) -> str | None:
        if filename == "direct_url.json":
            return None if self.source is None else json.dumps(self.source)
        return "Name: loco\nVersion: 1.2.3\n"

    def locate_file(self, path: Any) -> Any:
        raise AssertionError(path)


GIT = {
    "url": "https://git.example.com/loco",
    "vcs_info": {"vcs": "git", "commit_id": "abc", "requested_revision": "v1"},
}
ARCHIVE = {"url": "https://example.com/loco-1.2.3-py3-none-any.whl", "archive_info": {"hashes": {"sha256": "ff"}}}


@pytest.mark.parametrize(
    ("source", "line", "cautious"),
    [
        (GIT, "loco @ git+https://git.example.com/loco@abc", False),
        ({**GIT, "subdirectory": "python"}, "loco @ git+https://git.example.com/loco@abc#subdirectory=python", False),
        (ARCHIVE, "loco @ https://example.com/loco-1.2.3-py3-none-any.whl#sha256=ff", False),
        ({**ARCHIVE, "archive_info": {}}, "loco @ https://example.com/loco-1.2.3-py3-none-any.whl", False),
        ({"url": "file:///home/me/loco", "dir_info": {"editable": True}}, "loco @ file:///home/me/loco", True),
        ({"url": "file:///tmp/loco.whl", "archive_info": {}}, "loco @ file:///tmp/loco.whl", True),
        (None, "loco==1.2.3", True),
    ],
)
def test_line(source: dict[str, Any] | None, line: str, cautious: bool) -> None:
    found = own_requirement(Installed(source))
    assert found.line == line
    assert bool(found.caution) is cautious


def test_of_this_installation() -> None:
    assert own_requirement().line.startswith("loco")
