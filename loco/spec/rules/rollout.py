"""Rolling updates: amounts that the API server takes, and that let an update begin."""

import re
from collections.abc import Iterator

from loco.model import Finding
from loco.spec.base import LARGEST_COUNT
from loco.spec.rules.judged import Judged, sides

_PERCENTAGE = re.compile(r"[0-9]+%")


def rollout(judged: Judged) -> Iterator[Finding]:
    """Of the main workload and of prefill."""
    for side, workload in sides(judged):
        strategy = workload.rollout_strategy
        if strategy is None:
            continue
        where = (*side, "rolloutStrategy")
        amounts = {"maxUnavailable": strategy.max_unavailable, "maxSurge": strategy.max_surge}
        for key, amount in amounts.items():
            if fault := _wrong(amount):
                yield judged.finding((*where, key), *fault)
        if all(_is_none(amount) for amount in amounts.values()):
            message = "with neither a pod more nor a pod less, none could ever be replaced"
            yield judged.finding(where, message, "maxUnavailable: 1, or maxSurge: 1")
        elif workload.worker is not None and strategy.max_surge is None and _is_none(strategy.max_unavailable):
            message = "a LeaderWorkerSet surges by none unless told to, so with maxUnavailable 0 it never rolls"
            yield judged.finding((*where, "maxSurge"), message, "maxSurge: 1", fault=(*where, "maxUnavailable"))


def _wrong(amount: int | str | None) -> tuple[str, str] | None:
    """Message and cure."""
    if isinstance(amount, int) and amount < 0:
        return "this is below 0", "0 or more"
    if isinstance(amount, int) and amount > LARGEST_COUNT:
        return f"this should be at most {LARGEST_COUNT}", f"{LARGEST_COUNT} or less"
    if isinstance(amount, str) and not _PERCENTAGE.fullmatch(amount):
        return "this is neither a whole number nor a percentage", "1, or 25%"
    if isinstance(amount, str) and int(amount[:-1]) > 100:
        return "this is more than all pods", "at most 100%"
    return None


def _is_none(amount: int | str | None) -> bool:
    return amount == 0 or (isinstance(amount, str) and re.fullmatch(r"0+%", amount) is not None)
