"""What a run found, as a small table, and what of it is too much."""

from dataclasses import dataclass

# About three times what was measured when this was written: it catches a mistake, not a busy machine.
HIGHEST_RATIO = 3.0
HIGHEST_EXPONENT = 1.1


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Attributes:
        milliseconds: of one model.
        ratio: of one model, in calibration loops; None where it is not measured.
        exponent: how time grows with the number of models; None where one size was measured.
        bound_ratio, bound_exponent: the most that is accepted; None where the figure is only shown.
    """

    name: str
    milliseconds: float
    ratio: float | None = None
    exponent: float | None = None
    bound_ratio: float | None = None
    bound_exponent: float | None = None


def table(figures: list[Figure]) -> str:
    """The figures as aligned text."""
    head = ("", "ms a model", "ratio", "at most", "exponent", "at most")
    rows = [
        (f.name, *(_shown(n) for n in (f.milliseconds, f.ratio, f.bound_ratio, f.exponent, f.bound_exponent)))
        for f in figures
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    return "\n".join(
        row[0].ljust(widths[0]) + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in (head, *rows)
    )


def complaints(figures: list[Figure]) -> list[str]:
    """What lies above its bound."""
    found = []
    for figure in figures:
        for what, value, bound in (
            ("ratio", figure.ratio, figure.bound_ratio),
            ("exponent", figure.exponent, figure.bound_exponent),
        ):
            if bound is not None and (value is None or not value <= bound):
                found.append(f"{figure.name}: the {what} is {_shown(value)}, and may be at most {_shown(bound)}")
    return found


def _shown(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"
