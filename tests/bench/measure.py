"""How long something takes, said so that a slow or busy machine doesn't change the answer.

Processor time of this process, not time on the wall; each measurement stands between two runs of a fixed loop of plain
Python and is divided by them; of several rounds the median counts.
"""

import gc
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

_LOOPS = 20_000


@dataclass(frozen=True)
class Timing:
    """Medians over the rounds: milliseconds of one call, and how many calibration loops it is worth."""

    milliseconds: float
    ratio: float


def calibration() -> int:
    """The fixed loop: what layering does too, dictionaries, strings, tuples and calls, and nothing of loco's."""
    found: dict[str, tuple[int, str]] = {}
    for number in range(_LOOPS):
        key = f"key-{number % 97}"
        before = found.get(key, (0, ""))
        found[key] = (before[0] + len(key), key[-2:])
    return sum(count for count, _ in found.values())


def spent(work: Callable[[], object]) -> float:
    """Seconds of processor time of one call; what earlier calls left behind is collected before."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def timed(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Timing]:
    """Each piece of work in turn, round by round, so that a busy minute falls on all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    ratios: dict[str, list[float]] = {name: [] for name in works}
    before = spent(calibration)
    for _ in range(rounds):
        for name, work in works.items():
            taken = spent(work)
            after = spent(calibration)
            seconds[name].append(taken)
            ratios[name].append(taken / ((before + after) / 2))
            before = after
    return {name: Timing(median(seconds[name]) * 1000, median(ratios[name])) for name in works}


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """How time grows with size: the slope of a line through the logarithms, 1 for twice as long for twice as many."""
    x, y = [math.log(size) for size in sizes], [math.log(taken) for taken in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return covariance / sum((a - mean_x) ** 2 for a in x)
