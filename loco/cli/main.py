"""Entry point: arguments in, exit status out. 0 is well, 1 refused, 2 wrong usage."""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

_NO_OUTPUT = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str] | None) -> int:
    # Loading them takes a moment, in which somebody may press Ctrl-C.
    from loco.cli import check, diff, explain, init, render, report, schema

    parser = argparse.ArgumentParser(
        prog="loco", description="Plans an LLM serving stack on Kubernetes, without an engine or a cluster."
    )
    parser.add_argument("--version", action="version", version=f"loco {version('loco')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (render, check, explain, diff, report, schema, init):
        command.declare(commands)
    options = _parsed(parser, commands, list(sys.argv[1:] if arguments is None else arguments))
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  (closed by the caller: >&-)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # the same bytes whatever the locale; odd file names don't end it
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.ENOENT and _nowhere():
            print("loco: the folder that this command stands in is gone; go to another, or back to it", file=sys.stderr)
            return 1
        if error.errno not in _NO_OUTPUT:
            raise
        _drop_output()
        if not isinstance(error, BrokenPipeError):  # the reader, such as head, has seen enough
            print(f"loco: the output can't be written: {error.strerror or error}", file=sys.stderr)
        return 1
    return status


def _parsed(
    parser: argparse.ArgumentParser, commands: "argparse._SubParsersAction[argparse.ArgumentParser]", words: list[str]
) -> argparse.Namespace:
    """The options of a command, wherever they stand among its arguments: argparse does that for one parser only.

    Behind ``--`` there are no options; that argparse does only where options come first.
    """
    command = commands.choices.get(words[0]) if words else None
    if command is None:
        return parser.parse_args(words)
    return command.parse_args(words[1:]) if "--" in words else command.parse_intermixed_args(words[1:])


def _nowhere() -> bool:
    """Whether the working folder was removed, or moved out of sight."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _drop_output() -> None:
    """Nothing more is written at the interpreter's end, where it would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
