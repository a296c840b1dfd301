"""What a wheel holds: presets of every version, scripts and profiles, beside the code."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

pytest.importorskip("setuptools")


def test_presets_of_every_version_are_in_the_package(tmp_path: Path) -> None:
    source, built = tmp_path / "source", tmp_path / "built"
    ignored = shutil.ignore_patterns("__pycache__", "versions")
    for folder in ("loco", "presets"):
        shutil.copytree(REPOSITORY / folder, source / folder, ignore=ignored)
    shutil.copytree(REPOSITORY / "presets", source / "presets/versions/1", ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(REPOSITORY / name, source)
    command = [sys.executable, "setup.py", "-q", "build_py", "-d", str(built)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    expected = {path.relative_to(source) for path in (source / "loco").rglob("*") if path.suffix in (".py", ".json")}
    expected |= {"loco" / path.relative_to(source) for path in (source / "presets").rglob("*") if path.is_file()}
    found = {path.relative_to(built) for path in built.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert found - {Path("loco/py.typed")} == expected
    assert Path("loco/presets/versions/1/scripts/vllm-serve.sh") in found
