"""The endpoint picker: where its config comes from, and which pool it picks from."""

from collections.abc import Iterator, Mapping
from typing import Any

from loco.model import Finding
from loco.spec.rules.judged import Judged
from loco.spec.service import Pool, SchedulerConfig
from loco.spec.tree import Path

_WHERE: Path = ("spec", "router", "scheduler")
_MOST_PORTS = 8
_WORDS: Mapping[type, str] = {str: "text", dict: "a mapping"}
_PLUGIN: Mapping[str, type] = {"type": str, "name": str, "parameters": dict}
_PROFILE: Mapping[str, type] = {"name": str}
_ENTRY: Mapping[str, type] = {"pluginRef": str}
_INDEXER = "indexerConfig"
_INLINE = "inline: {apiVersion: …, kind: EndpointPickerConfig, plugins: […]}"


def scheduler(judged: Judged) -> Iterator[Finding]:
    """Of the router's scheduler."""
    written = judged.spec.router.scheduler if judged.spec.router else None
    if written is None:
        return
    if written.config is not None:
        yield from _config(judged, (*_WHERE, "config"), written.config)
    if written.pool is not None:
        yield from _pool(judged, (*_WHERE, "pool"), written.pool)


def _config(judged: Judged, where: Path, config: SchedulerConfig) -> Iterator[Finding]:
    if config.inline is None and config.ref is None:
        yield judged.finding(where, "the config is nowhere", f"{_INLINE}, or ref: {{name: …}}")
    elif config.inline is not None and config.ref is not None:
        yield judged.finding(where, "inline and ref exclude each other", "one of inline, ref")
    if config.inline == {}:
        yield judged.finding((*where, "inline"), "an empty config has no plugins", f"{_INLINE}, or no config")
    for path, expected in picker_faults(config.inline or {}):
        yield judged.finding((*where, "inline", *path), f"the endpoint picker reads {expected} here", expected)
    if config.ref is not None and not config.ref.name:
        yield judged.finding((*where, "ref", "name"), "the reference names no ConfigMap", "name: …")


def picker_faults(config: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Where an EndpointPickerConfig has another shape than its picker reads, and the shape that belongs there.

    What is absent or null is the picker's default.
    """
    for key, members in (("plugins", _PLUGIN), ("schedulingProfiles", _PROFILE)):
        yield from _faults_of_items(config.get(key), (key,), members)
    profiles = config.get("schedulingProfiles")
    for index, profile in enumerate(profiles if isinstance(profiles, list) else ()):
        if isinstance(profile, Mapping):
            where: Path = ("schedulingProfiles", index, "plugins")
            yield from _faults_of_items(profile.get("plugins"), where, _ENTRY)


def _faults_of_items(items: object, where: Path, members: Mapping[str, type]) -> Iterator[tuple[Path, str]]:
    if items is not None and not isinstance(items, list):
        yield where, "a list"
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, Mapping):
            yield (*where, index), "a mapping"
            continue
        for key, kind in members.items():
            if item.get(key) is not None and not isinstance(item[key], kind):
                yield (*where, index, key), _WORDS[kind]
        parameters = item.get("parameters")
        indexer = parameters.get(_INDEXER) if isinstance(parameters, Mapping) else None
        if indexer is not None and not isinstance(indexer, Mapping):
            yield (*where, index, "parameters", _INDEXER), "a mapping"


def _pool(judged: Judged, where: Path, pool: Pool) -> Iterator[Finding]:
    if pool.ref is not None and not pool.ref.name:
        yield judged.finding((*where, "ref", "name"), "the reference names no InferencePool", "name: …")
    if pool.ref is not None and judged.by_user("router", "scheduler", "pool", "spec"):
        message = "the pool that ref names is another's, so spec changes nothing of it"
        yield judged.finding((*where, "spec"), message, "ref, or spec", code="LOCO-NO-EFFECT", severity="warning")
    ports = [port.number for port in (pool.spec.target_ports if pool.spec else None) or []]
    if len(ports) > _MOST_PORTS or len(set(ports)) < len(ports):
        message = f"a pool has at most {_MOST_PORTS} target ports, each once"
        yield judged.finding((*where, "spec", "targetPorts"), message, "targetPorts: [{number: 8000}]")
