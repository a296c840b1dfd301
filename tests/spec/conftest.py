"""A project's folder with one model file."""

from pathlib import Path

import pytest

from tests.spec.spec_stacks import SERVICE


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/chat.yaml").write_text(SERVICE.replace("NAME", "chat"))
    return tmp_path
