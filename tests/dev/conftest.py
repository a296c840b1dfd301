"""Shared by the tests of dev/: one real cluster for the session, and copies of the checkout."""

import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from dev.cluster import Cluster
from dev.commands.checkout import Checkout
from dev.commands.venv import _stamp
from dev.toolchain import CLUSTER_TOOLS, Tools, ensure
from dev.toolchain.places import cache_folder

ROOT = Path(__file__).resolve().parents[2]
SITE_PACKAGES = next(p for p in sys.path if p.endswith("site-packages"))

PROGRAM = """\
import pulumi
import pulumi_kubernetes as k8s

cluster = pulumi.Config().require_object("cluster")
provider = k8s.Provider("cluster", context=cluster["context"])
options = pulumi.ResourceOptions(provider=provider)
space = k8s.core.v1.Namespace("space", metadata={"name": "scratch"}, opts=options)
k8s.core.v1.ConfigMap(
    "note", metadata={"name": "note", "namespace": "scratch"}, data={"a": "b"},
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[space]),
)
pulumi.export("context", cluster["context"])
"""
DEV_STACK = """\
encryptionsalt: v1:5nkOh6RbOyQ=:v1:MwWm7D2eF1AUu47T:3Z2Q1FNh1185mekYbnAwJMs5KZ/meg==
config:
  loco:cluster: {context: loco-dev, identifier: loco-dev, createNamespaces: true}
"""

Make = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def cluster_tools() -> Tools:
    return ensure(CLUSTER_TOOLS)


@pytest.fixture(scope="session")
def cluster(cluster_tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster"), tools=cluster_tools) as started:
        yield started


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A committed copy of the checkout's dev/ with a small program, at a path with a space."""
    root = tmp_path / "check out"
    root.mkdir()
    for name in ("Makefile", "pyproject.toml", ".gitignore"):
        shutil.copy(ROOT / name, root / name)
    shutil.copytree(ROOT / "dev", root / "dev", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "Pulumi.yaml").write_text("name: loco\nruntime: {name: python, options: {virtualenv: .venv}}\n")
    (root / "Pulumi.dev.yaml").write_text(DEV_STACK)
    (root / "__main__.py").write_text(PROGRAM)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "copy"]):
        author = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *author, *command], cwd=root, check=True)
    return root


@pytest.fixture
def with_venv(copied: Path) -> Path:
    """The copy with a ready `.venv` that borrows this interpreter's packages."""
    venv.create(copied / ".venv", symlinks=True)
    inside = next((copied / ".venv" / "lib").glob("python*")) / "site-packages"
    (inside / "borrowed.pth").write_text(SITE_PACKAGES + "\n")
    checkout = Checkout(copied, copied / ".loco")
    (copied / ".venv" / ".loco-stamp").write_text(_stamp(checkout))
    return copied


@pytest.fixture
def user_home(tmp_path: Path) -> Path:
    """A home folder of a user who has Pulumi in use."""
    home = tmp_path / "home"
    (home / ".pulumi" / "workspaces").mkdir(parents=True)
    (home / ".pulumi" / "credentials.json").write_text('{"current": "file:///nowhere"}')
    (home / ".pulumi" / "workspaces" / "theirs.json").write_text('{"stack": "theirs"}')
    return home


@pytest.fixture
def user_env(tmp_path: Path, user_home: Path) -> dict[str, str]:
    """That user's environment, with the built tools of whoever runs the tests."""
    dropped = ("PULUMI_", "LOCO_", "KUBECONFIG", "MAKE", "VIRTUAL_ENV", "MFLAGS")
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith(dropped)},
        "HOME": str(user_home),
        "XDG_CACHE_HOME": str(cache_folder().parent),
        "KUBECONFIG": str(tmp_path / "their-kubeconfig"),
        "PYTHON": sys.executable,
    }


@pytest.fixture
def make(user_env: dict[str, str]) -> Make:
    """Run `make` as that user would."""

    def run(
        root: Path, *words: str, env: Mapping[str, str] | None = None, timeout: float = 300
    ) -> "subprocess.CompletedProcess[str]":
        begin = time.monotonic()
        done = subprocess.run(
            ["make", *words],
            cwd=root,
            env={**user_env, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        print(f"make {' '.join(words)}: {time.monotonic() - begin:.1f} s")
        return done

    return run
