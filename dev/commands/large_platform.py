"""`make bench`: examples/large on a cluster of its own, and the same models in one stack, in time on the wall."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dev.cluster import Cluster
from dev.cluster.contents import node
from dev.commands import children
from dev.commands.checkout import Checkout
from dev.commands.environment import QUIET, in_venv, over_own
from dev.commands.recovery import end_orphans
from dev.messages import Problem, duration, say
from dev.toolchain import CLUSTER_TOOLS, PROVIDER, PULUMI, ensure, link_bin, link_provider

CONTEXT = "loco-bench"
GROUPS = ("chat", "code", "reasoning", "vision", "multilingual", "small")
GATEWAY, TOGETHER = "prod", "together"  # the gateway's stack, and the one of all models
_NODES = 10  # beside the cluster's own two, with 8 GPUs each
_OPERATIONS = {"up": ("up", "--yes", "--skip-preview"), "down": ("destroy", "--yes", "--skip-preview"),
               "preview": ("preview", "--expect-no-changes")}  # fmt: skip


@dataclass(frozen=True)
class Stack:
    """One stack of the example, with what its operations took in seconds."""

    name: str
    folder: Path
    seconds: dict[str, float] = field(default_factory=dict)


class Platform:
    """The example's projects in a folder of their own, with a backend and a cluster of their own."""

    def __init__(self, folder: Path, program: Path, env: dict[str, str], at_once: int) -> None:
        self._folder, self._program, self._env, self._at_once = folder, program, env, at_once

    def stack(self, project: str, name: str, sources: Sequence[str] = ()) -> Stack:
        """A new stack; ``sources`` are the stacks whose models it takes."""
        folder = self._folder / project
        lines = ["config:", f"  {project}:cluster: {{context: {CONTEXT}, identifier: bench, createNamespaces: true}}"]
        lines.append(f"  {project}:deletionProtection: false")
        if sources:
            lines += [f"  {project}:namespace: gateway", f"  {project}:files: [gateway.yaml]"]
            lines += [f"  {project}:modelsFrom:", *(f"    - organization/models/{source}" for source in sources)]
        (folder / f"Pulumi.{name}.yaml").write_text("\n".join(lines) + "\n")
        self._run(Stack(name, folder), "stack", "init")
        return Stack(name, folder)

    def each(self, stacks: Sequence[Stack], operation: str, alone: bool = False) -> float:
        """The operation on all of them, as many at once as the machine has processors; returns seconds for all."""
        begin = time.monotonic()
        with ThreadPoolExecutor(1 if alone else self._at_once) as pool:
            list(pool.map(lambda stack: self._timed(stack, operation), stacks))
        return time.monotonic() - begin

    def resources(self, stack: Stack) -> int:
        return self._run(stack, "stack", "export").count('"urn":')

    def _timed(self, stack: Stack, operation: str) -> None:
        begin = time.monotonic()
        self._run(stack, *_OPERATIONS[operation])
        stack.seconds[operation] = time.monotonic() - begin
        say(f"  {operation} of {stack.name}: {duration(stack.seconds[operation])}")

    def _run(self, stack: Stack, *arguments: str) -> str:
        command = [str(self._program), *arguments, "--stack", stack.name, "--non-interactive", "--color=never"]
        if arguments == ("stack", "init"):
            command = [str(self._program), *arguments, stack.name, "--non-interactive"]
        code, text, errors = children.ask(command, self._env, stack.folder)
        if code:
            raise Problem(f"`pulumi {' '.join(arguments)}` of stack {stack.name} failed\n{text}\n{errors}")
        return text


@dataclass(frozen=True)
class Measured:
    """All figures of one run."""

    models: list[Stack]
    gateway: Stack
    together: Stack | None
    apart_seconds: float
    resources: dict[str, int]


def measure(checkout: Checkout, groups: int = len(GROUPS), together: bool = True) -> Measured:
    """Bring the example up, preview it, take it down; then the same models in one stack.

    Args:
        groups: how many of the example's stacks.
        together: whether to measure the one stack, which takes longer than all others.
    """
    with _platform(checkout) as platform:
        names = GROUPS[:groups]
        models = [platform.stack("models", name) for name in names]
        gateway = platform.stack("gateway", GATEWAY, names)
        say(f"{len(names)} stacks of 10 models, then their gateway")
        apart = platform.each(models, "up") + platform.each([gateway], "up")
        platform.each([*models, gateway], "preview", alone=True)
        resources = {stack.name: platform.resources(stack) for stack in (*models, gateway)}
        say("taking them down, the gateway first")
        platform.each([gateway], "down")
        platform.each(models, "down")
        one = None
        if together:
            say("all 60 models in one stack")
            one = platform.stack("models", TOGETHER)
            for operation in ("up", "preview"):
                platform.each([one], operation)
            resources[one.name] = platform.resources(one)
            platform.each([one], "down")
        return Measured(models, gateway, one, apart, resources)


@contextmanager
def _platform(checkout: Checkout) -> Iterator[Platform]:
    tools = ensure((*CLUSTER_TOOLS, PULUMI, PROVIDER))
    link_bin(tools, checkout.bin)
    link_provider(tools, checkout.pulumi_home)
    folder = checkout.state / "bench"
    cluster = Cluster(folder / "cluster", CONTEXT, tools)
    cluster.stop()  # that of a run which was killed
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(checkout.root / "examples/large", folder)
    for project in ("models", "gateway"):
        (folder / project / ".venv").symlink_to(checkout.venv)
    backend = folder / "backend"
    backend.mkdir()
    env = over_own(
        {
            **QUIET,
            **in_venv(checkout, (str(checkout.bin),)),
            "PULUMI_BACKEND_URL": f"file://{backend}",
            "PULUMI_HOME": str(checkout.pulumi_home),
            "PULUMI_CONFIG_PASSPHRASE": "of a benchmark",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "KUBECONFIG": str(cluster.kubeconfig),
        }
    )
    try:
        with cluster:
            for number in range(_NODES):
                cluster.client().create("/api/v1/nodes", node(f"loco-bench-{number}"))
            yield Platform(folder, tools.program("pulumi"), env, os.cpu_count() or 1)
    finally:
        end_orphans(checkout.pulumi_home)
    shutil.rmtree(folder)  # a run that failed leaves its files


def table(measured: Measured) -> str:
    """The figures as aligned text, and what splitting is worth as ratios."""
    stacks = [*measured.models, measured.gateway, *([measured.together] if measured.together else [])]
    head = ("stack", "resources", "first up", "no-change preview", "destroy")
    rows = [
        (s.name, str(measured.resources[s.name]), *(f"{s.seconds[o]:.1f} s" for o in ("up", "preview", "down")))
        for s in stacks
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [
        row[0].ljust(widths[0]) + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in (head, *rows)
    ]
    return "\n".join([*lines, *ratios(measured)])


def ratios(measured: Measured) -> list[str]:
    """What one small change costs in a stack of its own and in the stack of all; and bringing everything up."""
    lines = [f"all of them up, {len(measured.models)} stacks and the gateway: {measured.apart_seconds:.1f} s"]
    if measured.together is None:
        return lines
    preview = _mean(measured.models, lambda stack: stack.seconds["preview"])
    big = measured.together.seconds
    lines.append(f"no-change preview, one stack to one of {len(measured.models)}: {big['preview'] / preview:.1f}")
    lines.append(f"everything up, one stack to all of them: {big['up'] / measured.apart_seconds:.1f}")
    return lines


def _mean(stacks: Sequence[Stack], of: Callable[[Stack], float]) -> float:
    return sum(of(stack) for stack in stacks) / len(stacks)
