"""The endpoint picker: where its config comes from, and which pool it picks from."""

from collections.abc import Iterator

from loco.model import Finding
from loco.spec.rules.judged import Judged
from loco.spec.service import Pool, SchedulerConfig
from loco.spec.tree import Path

_WHERE: Path = ("spec", "router", "scheduler")
_MOST_PORTS = 8
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
    if config.ref is not None and not config.ref.name:
        yield judged.finding((*where, "ref", "name"), "the reference names no ConfigMap", "name: …")


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
