"""An empty folder to begin in, and what should be in it then."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
WELL = (0, "nothing to say: no errors, no warnings\n", "")
FILES = {
    "Pulumi.yaml",
    "Pulumi.dev.yaml",
    "__main__.py",
    "models/chat.yaml",
    "models/gateway.yaml",
    "requirements.txt",
    ".gitignore",
    ".github/workflows/preview.yml",
    "README.md",
}


@pytest.fixture
def loco(loco: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command, in an empty folder."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return loco


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
