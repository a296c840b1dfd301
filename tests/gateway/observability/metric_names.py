"""Which metrics there are, and which a query names."""

from functools import cache
from pathlib import Path
from typing import Any

import promql_parser
import yaml

_LISTS = Path(__file__).with_name("metrics.yaml")
LITELLM = "litellm_"


@cache
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_LISTS.read_text(encoding="utf-8"))
    return found


def exported() -> set[str]:
    """The series that engines, endpoint pickers, kube-state-metrics and Prometheus itself export, by their full names."""
    engine, picker = recorded()["engine"], recorded()["picker"]
    names = {*engine["gauges"], *recorded()["cluster"], *recorded()["prometheus"]}
    names |= {name if name.endswith("_total") else f"{name}_total" for name in engine["counters"]}
    names |= {each for sort in ("counters", "gauges") for pair in picker[sort].items() for each in pair}
    histograms = [*engine["histograms"], *(each for pair in picker["histograms"].items() for each in pair)]
    return names | {f"{name}_{end}" for name in histograms for end in ("bucket", "sum", "count")}


def both_names() -> dict[str, str]:
    """Of endpoint pickers' metrics the older name by the newer."""
    picker = recorded()["picker"]
    return {new: old for sort in ("counters", "gauges", "histograms") for new, old in picker[sort].items()}


def selectors(query: str) -> list[tuple[str, dict[str, str]]]:
    """Every metric that a query names, with its matchers. Fails for a query that Prometheus would not read."""
    found: list[tuple[str, dict[str, str]]] = []

    def walk(node: Any) -> None:
        if isinstance(node, promql_parser.VectorSelector):
            found.append((str(node.name), {each.name: each.value for each in node.matchers.matchers}))
        for field in ("expr", "lhs", "rhs", "vector_selector", "args"):
            below = getattr(node, field, None)
            for each in below if isinstance(below, list) else [below]:
                if each is not None:
                    walk(each)

    walk(promql_parser.parse(query))
    return found


def metrics_of(query: str) -> set[str]:
    return {name for name, _ in selectors(query)}
