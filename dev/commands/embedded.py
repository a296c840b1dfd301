"""`make up`, `preview`, `down` without CONTEXT: the embedded cluster and its stack `dev`."""

import json
import shutil
from pathlib import Path

from dev.cluster import Cluster
from dev.commands.checkout import EMBEDDED_CONTEXT, EMBEDDED_STACK, Checkout
from dev.commands.environment import embedded, over_own
from dev.commands.pulumi import Stack
from dev.commands.recovery import end_orphans, forget_pending, release
from dev.commands.venv import ensure_venv
from dev.messages import Problem, say
from dev.toolchain import Tools, ensure, link_bin, link_provider


def prepare(checkout: Checkout) -> Tools:
    """Make `.venv`, the tools and the folder that goes in front of PATH."""
    ensure_venv(checkout)
    return prepare_tools(checkout)


def prepare_tools(checkout: Checkout) -> Tools:
    tools = ensure()
    link_bin(tools, checkout.bin)
    link_provider(tools, checkout.pulumi_home)
    return tools


def up(checkout: Checkout) -> None:
    tools = prepare(checkout)
    cluster = _cluster(checkout, tools)
    cluster.start()
    stack = _ready_stack(checkout, tools)
    end_orphans(checkout.pulumi_home)
    forget_pending(stack, cluster)
    stack.up()
    stack.show_outputs()


def preview(checkout: Checkout) -> None:
    """Show what `up` would do. Starts no cluster: without one, Pulumi plans from inputs only."""
    tools = prepare(checkout)
    if not _cluster(checkout, tools).is_running():
        say("the embedded cluster is not running, so this preview asks no API server")
    _ready_stack(checkout, tools).preview()


def down(checkout: Checkout) -> None:
    """Destroy the stack if there is anything in it, then stop the cluster."""
    if not _has_stack(checkout):
        end_orphans(checkout.pulumi_home)
        Cluster(checkout.cluster).stop()
        say("there is no stack; the embedded cluster is stopped")
        return
    tools = prepare(checkout)
    stack = _stack(checkout, tools)
    release(stack, checkout.backend)
    cluster = _cluster(checkout, tools)
    if stack.is_empty():
        say("there is nothing to destroy")
    else:
        cluster.start()  # also when it died: what it holds has to be deleted by name
        forget_pending(stack, cluster)
        stack.destroy()
    end_orphans(checkout.pulumi_home)
    cluster.stop()
    say("the embedded cluster is stopped")


def environment(checkout: Checkout) -> dict[str, str]:
    """Return the settings for `make env`, with everything behind them ready but the cluster."""
    tools = prepare(checkout)
    _ready_stack(checkout, tools)
    return embedded(checkout)


def clean(checkout: Checkout) -> None:
    """Remove what the commands have made here, unless it is the only record of real objects."""
    for stack in filled_stacks(checkout):
        if stack != EMBEDDED_STACK:
            raise Problem(
                f"stack {stack} still has objects on a cluster of yours, and its record is in {checkout.state};"
                f" first `make down CONTEXT=... STACK={stack}`"
            )
    end_orphans(checkout.pulumi_home)
    Cluster(checkout.cluster).stop()
    for folder in (checkout.state, checkout.venv):
        shutil.rmtree(folder, ignore_errors=True)
        say(f"removed {folder}")


def _cluster(checkout: Checkout, tools: Tools) -> Cluster:
    return Cluster(checkout.cluster, EMBEDDED_CONTEXT, tools)


def _stack(checkout: Checkout, tools: Tools) -> Stack:
    linked = checkout.bin / "pulumi"
    program: Path = linked if linked.exists() else tools.program("pulumi")
    return Stack(program, EMBEDDED_STACK, checkout.root, over_own(embedded(checkout)))


def _ready_stack(checkout: Checkout, tools: Tools) -> Stack:
    stack = _stack(checkout, tools)
    if not stack.exists():
        stack.create("passphrase")
    stack.select()
    release(stack, checkout.backend)
    return stack


def filled_stacks(checkout: Checkout) -> list[str]:
    """List the stacks in the state folder's backend that have resources."""
    found = []
    for path in sorted((checkout.backend / ".pulumi" / "stacks").glob("*/*.json")):
        latest = json.loads(path.read_text()).get("checkpoint", {}).get("latest") or {}
        if latest.get("resources"):
            found.append(path.stem)
    return found


def _has_stack(checkout: Checkout) -> bool:
    """Look at the file backend itself, because asking Pulumi might first have to build it."""
    stacks = checkout.backend / ".pulumi" / "stacks"
    return any(stacks.glob(f"**/{EMBEDDED_STACK}.json*"))
