"""One at a time: a lock that the kernel drops when its holder dies, however it dies."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.messages import say


@contextmanager
def exclusive(path: Path, waiting_for: str) -> Iterator[None]:
    """Hold the lock file at `path`; say what is being waited for when somebody else has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting: {waiting_for}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
