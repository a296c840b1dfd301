"""Reads what `make` passes on, runs one command, and turns problems into one line each."""

import os
from collections.abc import Callable

from dev.commands import bench, checks, embedded, own_cluster
from dev.commands.checkout import EMBEDDED_STACK, Checkout, this_checkout
from dev.commands.children import turn_sigterm_into_exception
from dev.commands.environment import as_shell
from dev.messages import Problem, WrongUsage, say
from dev.toolchain.places import cache_folder

INTERRUPTED = 130

Command = Callable[[Checkout, str, str, str], None]


def main(words: list[str]) -> int:
    turn_sigterm_into_exception()
    context, stack, arguments = (
        os.environ.pop(f"LOCO_MAKE_{name}", "").strip() for name in ("CONTEXT", "STACK", "ARGS")
    )
    try:
        if len(words) != 1 or words[0] not in COMMANDS:
            raise WrongUsage(f"usage: python3 -m dev {'|'.join(COMMANDS)}")
        COMMANDS[words[0]](this_checkout(), context, stack, arguments)
    except KeyboardInterrupt:
        say("interrupted; run the same command again, or `make down`")
        return INTERRUPTED
    except Problem as problem:
        say(f"loco: {problem}")
        return problem.code
    except OSError as error:
        say(f"loco: {error}")
        return 1
    return 0


def _up(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    if _is_own(context, stack):
        own_cluster.up(checkout, context, stack)
    else:
        embedded.up(checkout)


def _preview(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    if _is_own(context, stack):
        own_cluster.preview(checkout, context, stack)
    else:
        embedded.preview(checkout)


def _down(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    if _is_own(context, stack):
        own_cluster.down(checkout, context, stack)
    else:
        embedded.down(checkout)


def _env(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    if _is_own(context, stack):
        raise WrongUsage("`make env` is about the embedded cluster; call it without CONTEXT and STACK")
    print(as_shell(embedded.environment(checkout)))


def _test(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    checks.test(checkout, arguments)


def _bench(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    bench.bench(checkout, arguments)


def _lint(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    checks.lint(checkout)


def _clean(checkout: Checkout, context: str, stack: str, arguments: str) -> None:
    embedded.clean(checkout)
    say(f"the built tools stay in {cache_folder()}, for every checkout of yours")


def _is_own(context: str, stack: str) -> bool:
    return bool(context) or stack not in ("", EMBEDDED_STACK)


COMMANDS: dict[str, Command] = {
    "up": _up,
    "preview": _preview,
    "down": _down,
    "env": _env,
    "test": _test,
    "bench": _bench,
    "lint": _lint,
    "clean": _clean,
}
