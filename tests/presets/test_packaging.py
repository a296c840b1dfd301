"""What a wheel holds: presets of every version, scripts and profiles, beside the code, and the pull requests' workflow."""

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
    shutil.copytree(REPOSITORY / ".github/workflows", source / ".github/workflows")
    (source / ".github/workflows/another.yml").write_text("on: push\n")
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(REPOSITORY / name, source)
    command = [sys.executable, "setup.py", "-q", "build_py", "-d", str(built)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    expected = {path.relative_to(source) for path in (source / "loco").rglob("*") if path.suffix in (".py", ".json")}
    expected |= {"loco" / path.relative_to(source) for path in (source / "presets").rglob("*") if path.is_file()}
    expected.add(Path("loco/workflows/preview.yml"))
    found = {path.relative_to(built) for path in built.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert found - {Path("loco/py.typed")} == expected
    assert Path("loco/presets/versions/1/scripts/vllm-serve.sh") in found
    shipped = (built / "loco/workflows/preview.yml").read_bytes()
    assert shipped == (REPOSITORY / ".github/workflows/preview.yml").read_bytes()


def test_init_finds_the_workflow_of_a_wheel(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "loco", tmp_path / "loco", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "loco/workflows").mkdir()
    (tmp_path / "loco/workflows/preview.yml").write_text("on: wheel\n")
    program = "from loco.cli.init.workflow import workflow_text; print(workflow_text(), end='')"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "on: wheel\n"
