"""``make bench``: what layering and planning cost per model, and how that grows with the number of models."""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial

from loco.plan import plan_stack
from loco.spec.stack import StackSpec
from tests.bench.measure import calibration, exponent, spent, timed
from tests.bench.models import ROUTED, SHAPES, refusal, resolve_all, stack_of
from tests.bench.report import HIGHEST_EXPONENT, HIGHEST_RATIO, Figure, complaints, table

SIZES = (10, 30, 100, 300, 1000)
_ROUNDS = 15
_LAYERING_ROUNDS, _PLAN_ROUNDS = 3, 1  # a plan of the largest stack takes minutes on a small machine
_BATCH = 10  # models at a time: one alone is too short to be timed well


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--largest", type=int, choices=SIZES[2:], default=SIZES[-1], help="models of the largest stack")
    largest: int = parser.parse_args().largest
    sizes = tuple(size for size in SIZES if size <= largest)
    refused = [f"{shape}: {why}" for shape in SHAPES if (why := refusal(shape))]
    measurable = [shape for shape in SHAPES if refusal(shape) is None]
    figures = _per_model(measurable)
    if ROUTED in measurable:
        figures += [
            _growth("layering", resolve_all, sizes, _LAYERING_ROUNDS, HIGHEST_EXPONENT),
            _growth("the whole plan", plan_stack, sizes, _PLAN_ROUNDS, None),
        ]
    print(table(figures))
    print(f"ratio: to a fixed loop of plain Python that takes {spent(calibration) * 1000:.1f} ms here")
    faults = [*refused, *complaints(figures)]
    for fault in faults:
        print(f"{'not measured' if fault in refused else 'too much'}: {fault}")
    return 1 if faults else 0


def _per_model(shapes: list[str]) -> list[Figure]:
    works = {shape: partial(resolve_all, stack_of(shape, _BATCH)) for shape in shapes}
    for work in works.values():
        work()  # presets are read and compiled once in a run, and are no cost of a model
    return [
        Figure(shape, timing.milliseconds / _BATCH, timing.ratio / _BATCH, bound_ratio=HIGHEST_RATIO)
        for shape, timing in timed(works, _ROUNDS).items()
    ]


def _growth(
    name: str, work: Callable[[StackSpec], object], sizes: Sequence[int], rounds: int, bound: float | None
) -> Figure:
    print(f"measuring {name} of {', '.join(map(str, sizes))} models", file=sys.stderr, flush=True)
    timings = timed({str(size): partial(work, stack_of(ROUTED, size)) for size in sizes}, rounds)
    slope = exponent(sizes, [timings[str(size)].ratio for size in sizes])
    most = sizes[-1]
    largest = timings[str(most)]
    called = f"{name}, in a stack of {most}"
    return Figure(called, largest.milliseconds / most, largest.ratio / most, exponent=slope, bound_exponent=bound)


if __name__ == "__main__":
    sys.exit(main())
