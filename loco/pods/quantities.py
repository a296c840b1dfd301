"""Sums of quantities, as Kubernetes writes them."""

from fractions import Fraction
from math import ceil

_UNITS = [
    *((f"{letter}i", 1024**power) for power, letter in enumerate("KMGTPE", 1)),
    *((letter, 1000**power) for power, letter in enumerate(("", "k", "M", "G", "T", "P", "E"))),
]


def quantity(number: Fraction) -> str:
    """The shortest way to write a number of bytes, in whole units; a part of a byte counts as one."""
    whole = ceil(number)
    return min((f"{whole // size}{unit}" for unit, size in _UNITS if whole % size == 0), key=len)
