"""The real CLI with our language host, in a world of its own: state, home folder and passphrase are temporary."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

HOST = Path(__file__).parents[2] / "dev" / "pulumi-language-python"


@dataclass
class Outcome:
    code: int
    text: str  # stdout and stderr as they came

    def __contains__(self, text: str) -> bool:
        return text in self.text


@dataclass
class Workspace:
    """One project folder with one stack; tests rewrite its program."""

    folder: Path
    env: dict[str, str]

    def project(self, options: str = f"virtualenv: {sys.prefix}", more: str = "") -> None:
        text = f"name: demo\nruntime: {{name: python, options: {{{options}}}}}\n{more}\n"
        (self.folder / "Pulumi.yaml").write_text(text, encoding="utf-8")

    def program(self, text: str, path: str = "__main__.py") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def start(self, *args: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["pulumi", *args, "--non-interactive"],
            cwd=self.folder,
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )

    def pulumi(self, *args: str, **env: str) -> Outcome:
        with self.start(*args, **env) as cli:
            try:
                text, _ = cli.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                cli.kill()
                raise
        return Outcome(cli.returncode, text)

    def preview(self, *args: str, **env: str) -> Outcome:
        return self.pulumi("preview", *args, **env)


@pytest.fixture(scope="session")
def tools_bin() -> Path:
    folder = os.environ.get("LOCO_TOOLS_BIN")
    if not folder:
        pytest.skip("set LOCO_TOOLS_BIN to the folder with the pulumi CLI to run this")
    assert Path(folder, "pulumi").exists(), f"there is no pulumi in LOCO_TOOLS_BIN={folder}"
    return Path(folder).resolve()


def world(root: Path, tools_bin: Path) -> dict[str, str]:
    """An environment in which `pulumi` and our host are found, and nothing of the developer's own is."""
    for name in ("bin", "home", "state"):
        (root / name).mkdir()
    (root / "bin" / "pulumi").symlink_to(tools_bin / "pulumi")
    # The CLI looks for its host on PATH, then beside its own real file, never beside a link to it: so it's PATH here,
    # at the price of a warning on each run.
    (root / "bin" / HOST.name).symlink_to(HOST)
    # these would let the developer's shell decide what is tested
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PULUMI_", "PYTHON", "VIRTUAL_ENV"))}
    return env | {
        "PATH": os.pathsep.join([str(root / "bin"), str(Path(sys.prefix, "bin")), env["PATH"]]),
        "PULUMI_HOME": str(root / "home"),
        "PULUMI_BACKEND_URL": (root / "state").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",  # the venv may name providers not needed here
        "NO_COLOR": "1",
    }


def new_workspace(root: Path, tools_bin: Path) -> Workspace:
    workspace = Workspace(root / "a project", world(root, tools_bin))
    workspace.folder.mkdir()
    workspace.project()
    assert workspace.pulumi("stack", "init", "dev").code == 0
    return workspace


@pytest.fixture(scope="session")
def shared_workspace(tmp_path_factory: pytest.TempPathFactory, tools_bin: Path) -> Workspace:
    return new_workspace(tmp_path_factory.mktemp("shared"), tools_bin)


@pytest.fixture
def workspace(shared_workspace: Workspace) -> Iterator[Workspace]:
    """A stack that stays empty, for tests that only preview."""
    yield shared_workspace
    shared_workspace.project()
    shared_workspace.program("")


@pytest.fixture
def own_workspace(tmp_path: Path, tools_bin: Path) -> Workspace:
    return new_workspace(tmp_path, tools_bin)


@pytest.fixture(scope="session")
def host() -> ModuleType:
    """The host's file as a module: it has no .py in its name."""
    loader = SourceFileLoader("pulumi_language_python", str(HOST))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # no cache file beside the script
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module
