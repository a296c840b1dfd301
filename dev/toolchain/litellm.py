"""The pinned LiteLLM, in a virtual environment of its own: its packages conflict with the project's."""

import hashlib
import shutil
import sys
import time
from pathlib import Path

from dev.messages import duration, say
from dev.toolchain.lock import exclusive
from dev.toolchain.places import cache_folder
from dev.toolchain.slow_step import run_slowly
from dev.toolchain.table import MODULE_FILES

LITELLM_VERSION = "1.108.7"
_REQUIREMENTS = MODULE_FILES / "litellm" / "requirements.txt"
_COMPLETE = ".complete"  # a virtual environment can't be moved, so it is made in its place and marked at the end


def ensure_litellm(cache: Path | None = None) -> Path:
    """Return the `litellm` command of the pinned version; installs it (some 760 MB) when the cache lacks it."""
    cache = cache or cache_folder()
    home = cache / "tools" / "litellm" / _stamp()
    if not (home / _COMPLETE).exists():
        with exclusive(cache / "tools" / "litellm.lock", "another checkout is installing LiteLLM"):
            if not (home / _COMPLETE).exists():  # whoever held the lock may have installed it
                _install(home, cache / "logs" / "litellm.log")
    return home / "bin" / "litellm"


def _install(home: Path, log: Path) -> None:
    say(f"installing LiteLLM {LITELLM_VERSION} (usually 2 minutes the first time)...")
    begin = time.monotonic()
    shutil.rmtree(home, ignore_errors=True)
    home.parent.mkdir(parents=True, exist_ok=True)
    run_slowly("preparing LiteLLM", [sys.executable, "-m", "venv", str(home)], log, home.parent)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    run_slowly("installing LiteLLM", [*pip, "-r", str(_REQUIREMENTS)], log, home.parent)
    (home / _COMPLETE).touch()
    say(f"  LiteLLM {LITELLM_VERSION} is ready after {duration(time.monotonic() - begin)}")


def _stamp() -> str:
    """Return `VERSION-HASH`; the hash covers the pinned packages and the interpreter."""
    digest = hashlib.sha256(_REQUIREMENTS.read_bytes() + sys.version.encode())
    return f"{LITELLM_VERSION}-{digest.hexdigest()[:12]}"
