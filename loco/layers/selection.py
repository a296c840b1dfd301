"""Which presets a service gets."""

from loco.spec.tree import Node, Row, at


def choose(decided: Node) -> tuple[str, ...]:
    """The presets of a spec, in merge order, by the merge of all layers but the presets themselves."""
    chosen = []
    if at(decided, ("router", "scheduler")) is not None and at(decided, ("router", "scheduler", "pool", "ref")) is None:
        chosen.append("config-llm-scheduler")
    if at(decided, ("router", "route")) is not None and not _items(at(decided, ("router", "route", "http", "refs"))):
        chosen.append("config-llm-router-route")
    # Every other topology is refused field by field until its room is built, whatever stands here.
    return (*chosen, "config-llm-template")


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Row) else ()
