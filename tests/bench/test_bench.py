"""The sums of the benchmark, without a clock: what it says of figures that are given, and that it sees what is too much."""

import pytest

from tests.bench.measure import calibration, exponent
from tests.bench.models import ROUTED, SHAPES, refusal, resolve_all, stack_of
from tests.bench.report import Figure, complaints, table


@pytest.mark.parametrize("power", [0.5, 1.0, 1.1, 2.0])
def test_exponent_of_known_growth(power: float) -> None:
    sizes = (10, 30, 100, 300, 1000)
    assert exponent(sizes, [0.003 * size**power for size in sizes]) == pytest.approx(power)


def test_calibration_is_always_the_same_work() -> None:
    assert calibration() == calibration() > 0


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (Figure("a", 5.0, ratio=1.0, bound_ratio=1.0), []),
        (Figure("a", 5.0, ratio=1.01, bound_ratio=1.0), ["a: the ratio is 1.01, and may be at most 1.00"]),
        (Figure("a", 5.0, exponent=1.1, bound_exponent=1.1), []),
        (Figure("a", 5.0, exponent=1.2, bound_exponent=1.1), ["a: the exponent is 1.20, and may be at most 1.10"]),
        (
            Figure("a", 5.0, exponent=float("nan"), bound_exponent=1.1),
            ["a: the exponent is nan, and may be at most 1.10"],
        ),
        (Figure("a", 5.0, bound_ratio=1.0), ["a: the ratio is -, and may be at most 1.00"]),
        (Figure("a", 5.0, exponent=3.0), []),
    ],
)
def test_complaints(figure: Figure, said: list[str]) -> None:
    assert complaints([figure]) == said


def test_table_is_aligned() -> None:
    lines = table([Figure("short", 5.0, ratio=0.5), Figure("a longer name", 12.25, exponent=1.0)]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[2].split() == ["a", "longer", "name", "12.25", "-", "-", "1.00", "-"]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_gets_its_presets(shape: str) -> None:
    assert refusal(shape) is None


def test_every_model_is_measured() -> None:
    assert [service.name for service in resolve_all(stack_of(ROUTED, 3))] == ["model-0", "model-1", "model-2"]
