"""Flags that users give the engine beside those of the start script, and what of them can't stand beside the rest.

vLLM obeys the last flag of a name, and the script puts the user's own last. So one of them takes the place of what
loco renders, while Service, route, probes and the count of pods go on as if it weren't there.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template
from loco.spec.service import Parallelism
from loco.spec.tree import Path, at, dotted, plain
from loco.workloads.command import MORE, index_of, runs_script
from loco.workloads.side import Side

# Short names of vLLM's for the flags below.
_SHORT = {
    "tp": "tensor-parallel-size",
    "pp": "pipeline-parallel-size",
    "dp": "data-parallel-size",
    "dpl": "data-parallel-size-local",
    "dpr": "data-parallel-start-rank",
    "dpn": "data-parallel-rank",
    "dpa": "data-parallel-address",
    "dpp": "data-parallel-rpc-port",
    "ep": "enable-expert-parallel",
}
_TYPED = {
    "tensor-parallel-size": "tensor",
    "pipeline-parallel-size": "pipeline",
    "data-parallel-size": "data",
    "data-parallel-size-local": "dataLocal",
    "data-parallel-rpc-port": "dataRPCPort",
}
_OF_LORA = {"max-lora-rank": "maxRank", "max-loras": "maxAdapters", "max-cpu-loras": "maxCpuAdapters"}
# What the script of a replica of several pods works out for each of them.
_OF_EACH_POD = (
    *("data-parallel-address", "data-parallel-start-rank", "data-parallel-rank"),
    *("nnodes", "node-rank", "master-addr"),
)


@dataclass(frozen=True, slots=True)
class Given:
    """The last flag of a name.

    Attributes:
        values: the words behind it, up to the next flag.
        where: the word, or the variable that holds it, within the container.
    """

    values: tuple[str, ...]
    where: Path

    @property
    def number(self) -> int | None:
        """Its value where that is a whole number; what a variable would give is unknown."""
        return int(self.values[0]) if self.values and re.fullmatch(r"[0-9]{1,9}", self.values[0]) else None


@dataclass(frozen=True, slots=True)
class Spread:
    """How one pod's engine uses GPUs: it takes ``tensor`` × ``pipeline`` × ``ranks`` of them, each with a process."""

    tensor: int
    pipeline: int
    ranks: int

    @property
    def processes(self) -> int:
        return self.tensor * self.pipeline * self.ranks


def given_flags(container: Mapping[str, Any], script: bool) -> dict[str, Given]:
    """Flags of the user's own by vLLM's long name, without dashes in front; of a short spelling too.

    Args:
        container: the engine, before loco has added arguments of its own.
        script: whether its command is a preset's script. Else the command's words are the user's own as well; of one
            that is a shell's text, those that can be told apart.
    """
    found: dict[str, Given] = {}
    words = list(_words(container, script))
    for index, (word, where) in enumerate(words):
        if not re.match(r"--?[A-Za-z]", word):
            continue
        name, equals, value = word.partition("=")
        behind: list[str] = [value] if equals else []
        for follower, _ in words[index + 1 :] if not equals else ():
            if re.match(r"--?[A-Za-z]", follower):
                break
            behind.append(follower)
        plain_name = name.lstrip("-").replace("_", "-")
        found[plain_name if name.startswith("--") else _SHORT.get(plain_name, plain_name)] = Given(tuple(behind), where)
    return found


def spread_of(engine: Mapping[str, Any], side: Side, script: bool) -> Spread:
    """How a pod's engine is spread over GPUs, whichever way it is told: by a field of the spec or by a flag."""
    chosen = side.workload.parallelism or Parallelism()
    flags = {name: flag.number for name, flag in given_flags(engine, script).items()}
    tensor = flags.get("tensor-parallel-size") or chosen.tensor or 1
    stages = 1 if side.multi_node and chosen.pipeline else flags.get("pipeline-parallel-size") or 1
    if side.multi_node:
        return Spread(tensor, stages, chosen.data_local or 1)
    return Spread(tensor, stages, flags.get("data-parallel-size-local") or flags.get("data-parallel-size") or 1)


def contradicting_flags(
    pod: Mapping[str, Any], engine: Mapping[str, Any], side: Side, place: Path, resolved: Resolved
) -> list[Finding]:
    """An error for each flag that would have the engine do otherwise than its surroundings expect of it."""
    if not runs_script(pod, engine, resolved, place):
        return []  # nobody knows what else the command does
    flags = given_flags(engine, script=True)
    path: Path = ("containers", index_of(pod, engine))
    problems = [*_routing(engine, flags, resolved), *_parallel(flags, side, resolved), *_of_adapters(flags, resolved)]
    return [
        in_template(
            resolved,
            (*path, *flags[name].where),
            message,
            cure,
            place=place,
            value=" ".join((f"--{name}", *flags[name].values)),
        )
        for name, message, cure in problems
    ]


def _words(container: Mapping[str, Any], script: bool) -> Iterator[tuple[str, Path]]:
    """In the order in which they count."""
    if not script:
        for index, text in enumerate(container.get("command") or []):
            for word in _split(str(text)):
                yield word, ("command", index)
    for index, variable in enumerate(container.get("env") or []):
        if variable.get("name") == MORE:
            for word in _split(str(variable.get("value") or "")):
                yield word, ("env", index, "value")
    for index, text in enumerate(container.get("args") or []):
        for word in [str(text)] if script else _split(str(text)):
            yield word.strip("'"), ("args", index)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an open quote; shells and JSON both have them where shlex doesn't
        return text.split()


def _routing(
    engine: Mapping[str, Any], flags: Mapping[str, Given], resolved: Resolved
) -> Iterator[tuple[str, str, str]]:
    """Name of the flag, what is wrong with it, and the cure, for what requests and probes depend on."""
    rendered = re.search(r"--port (\d+)", " ".join(map(str, engine.get("command") or [])))
    if (flag := flags.get("port")) and rendered and flag.values[:1] != (rendered[1],):
        message = f"Service, pool and probes call the engine at {rendered[1]}, and it would listen elsewhere"
        yield "port", message, "the engine's arguments without --port"
    wanted = names.served_names(resolved.namespace, resolved.model_name)
    if (flag := flags.get("served-model-name")) and not set(wanted) <= set(flag.values):
        message = f"routes and gateways ask for {wanted[0]} and {wanted[1]}, and the engine would know neither of both"
        if set(wanted) & set(flag.values):
            message = f"routes and gateways ask for {wanted[0]} and {wanted[1]}, and the engine would know only one"
        new = flag.values[0] if flag.values else "NAME"
        yield "served-model-name", message, f"model: {{name: {new}}}, and the engine's arguments without the flag"
    for name in ("ssl-certfile", "ssl-keyfile"):
        if name in flags and not resolved.tls:
            message = "the engine would speak HTTPS, while probes, routes and the Service speak HTTP to it"
            yield name, message, "platform: {tls: true}, and the engine's arguments without the flag"


def _parallel(flags: Mapping[str, Given], side: Side, resolved: Resolved) -> Iterator[tuple[str, str, str]]:
    chosen = (side.workload.parallelism or Parallelism()).model_dump(by_alias=True)
    for name, typed in _TYPED.items():
        yield from _shadowed(flags, name, chosen[typed], (*side.path, "parallelism", typed))
    for name, means in (("enable-expert-parallel", True), ("no-enable-expert-parallel", False)):
        if name in flags and chosen["expert"] is not None and chosen["expert"] is not means:
            field = dotted(("spec", *side.path, "parallelism", "expert"))
            message = f"it takes the place of {field}, which says otherwise"
            yield name, message, f"expert: {str(means).lower()} in the spec, and no flag"
    for name in _OF_EACH_POD if side.multi_node else ():
        if name in flags:
            message = "the start script works this out for each pod of a replica, and one value would hold for all"
            yield name, message, "the engine's arguments without it"


def _of_adapters(flags: Mapping[str, Given], resolved: Resolved) -> Iterator[tuple[str, str, str]]:
    for name, field in _OF_LORA.items():
        where: Path = ("model", "lora", field)
        node = at(resolved.tree, where)
        yield from _shadowed(flags, name, plain(node) if node is not None else None, where)


def _shadowed(flags: Mapping[str, Given], name: str, typed: object, where: Path) -> Iterator[tuple[str, str, str]]:
    flag = flags.get(name)
    if flag is None or typed is None or flag.number in (None, typed):
        return
    field = dotted(("spec", *where))
    message = f"it takes the place of {field}, which is {typed}, and all that follows from the field stays as it is"
    yield name, message, f"{where[-1]}: {flag.number} in the spec, or {typed} for both; best without the flag"
