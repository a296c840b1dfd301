"""Which presets a service gets."""

import re
from collections.abc import Iterator

from loco.spec.platform_gateway import RouteForm
from loco.spec.tree import Leaf, Node, Row, at, text_of
from loco.spec.yaml_reader import read_yaml

_TOKENIZING = ("token-producer", "precise-prefix-cache-scorer")
_PREDICTING = ("predicted-latency-producer",)
_ROUTES = {"twelveRules": "config-llm-router-route", "tenRules": "config-llm-router-route-ten-rules"}
_CONFIG_TEXT = re.compile(r"--?config(?:-t|T)ext(?:=(?P<text>.*))?", re.DOTALL)


def choose(decided: Node, routes: RouteForm = "twelveRules") -> tuple[str, ...]:
    """The presets of a spec, in merge order, by the merge of all layers but the presets themselves.

    ``routes`` is the platform's choice among the two presets of a route. Follows KServe's choice. A worker that neither data nor pipeline parallelism gives pods gets no engine at all.
    """
    chosen = []
    scheduler = at(decided, ("router", "scheduler"))
    if scheduler is not None:
        plugins = _plugin_types(scheduler)
        if not text_of(at(scheduler, ("pool", "ref", "name"))):
            chosen.append("config-llm-scheduler")
        if at(scheduler, ("tokenizer",)) is not None or any(plugin in plugins for plugin in _TOKENIZING):
            chosen.append("config-llm-tokenizer")
        if any(plugin in plugins for plugin in _PREDICTING):
            chosen.append("config-llm-scheduler-latency-predictor")
    if at(decided, ("router", "route")) is not None and not _items(at(decided, ("router", "route", "http", "refs"))):
        chosen.append(_ROUTES[routes])
    if at(decided, ("tracing",)) is not None:
        chosen.append("config-llm-tracing")
    prefill = at(decided, ("prefill",))
    if prefill is not None:
        chosen += _engine("config-llm-prefill", prefill)
    return (*chosen, *_engine("config-llm-decode" if prefill is not None else "config-llm", decided))


def _engine(prefix: str, side: Node) -> tuple[str, ...]:
    """The preset of one workload, if there is one for it."""
    if at(side, ("worker",)) is None:
        return (f"{prefix}-template",)
    if _spread(side, "data") or _spread(side, "dataLocal"):
        return (f"{prefix}-worker-data-parallel",)
    return (f"{prefix}-worker-pipeline-parallel",) if _spread(side, "pipeline") else ()


def _spread(side: Node, field: str) -> bool:
    size = at(side, ("parallelism", field))
    return isinstance(size, Leaf) and isinstance(size.value, int) and size.value > 0


def _plugin_types(scheduler: Node) -> frozenset[str]:
    """The types of the plugins in the picker's configuration, as far as it stands in the spec."""
    config = at(scheduler, ("config", "inline"))
    if config is None and (text := _config_text(scheduler)) is not None:
        trees, _ = read_yaml(text, "config-text", "config-text")  # text that is no YAML is for the picker to refuse
        config = trees[0] if trees else None
    types = (text_of(at(plugin, ("type",))) for plugin in _items(at(config, ("plugins",))))
    return frozenset(name for name in types if name is not None)


def _config_text(scheduler: Node) -> str | None:
    """The value of the flag that gives the picker its configuration; of several the last, which is in force."""
    found = None
    args = list(_args(scheduler))
    for index, arg in enumerate(args):
        if match := _CONFIG_TEXT.fullmatch(arg):
            inline = match["text"]
            found = inline if inline is not None else "".join(args[index + 1 : index + 2])
    return found


def _args(scheduler: Node) -> Iterator[str]:
    for container in _items(at(scheduler, ("template", "containers"))):
        if text_of(at(container, ("name",))) == "main":
            yield from (text_of(arg) or "" for arg in _items(at(container, ("args",))))


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Row) else ()
