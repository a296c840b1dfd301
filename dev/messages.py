"""How the development commands talk: progress on stderr, one plain line for each problem."""

import sys


class Problem(Exception):
    """Something the reader has to know or do; shown as text, never as a traceback."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class WrongUsage(Problem):
    """The command was called with arguments that make no sense together."""

    def __init__(self, text: str) -> None:
        super().__init__(text, code=2)


def say(text: str) -> None:
    """Print progress. It goes to stderr, because the stdout of `make env` is read by a shell."""
    print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Write a span of time the way people say it: `8 s`, `3 min 5 s`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
