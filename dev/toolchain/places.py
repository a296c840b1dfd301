"""Where built tools are kept: the user's cache, so that a second checkout builds nothing."""

import os
from pathlib import Path


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).expanduser().absolute() / "loco"
