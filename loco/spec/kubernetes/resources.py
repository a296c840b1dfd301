"""Resources of containers: what a quantity amounts to, and which resources are scarce devices."""

from fnmatch import fnmatch
from fractions import Fraction

_SUFFIXES = {
    **{letter: Fraction(1000) ** power for power, letter in enumerate(("n", "u", "m", "", "k", "M", "G", "T"), -3)},
    "P": Fraction(1000) ** 5,
    "E": Fraction(1000) ** 6,
    **{f"{letter}i": Fraction(1024) ** power for power, letter in enumerate("KMGTPE", 1)},
}
_LARGEST = 30  # decimal exponent

# Extended resources of which one unit is a device, or a part of one, that a cluster has few of. Not those that count
# a device's memory or cores, such as nvidia.com/gpumem.
_ACCELERATORS = (
    "*.*/gpu",
    "*.*/*.gpu",
    "*.*/gpu.shared",
    "*.*/mig-*",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "habana.ai/gaudi",
    "google.com/tpu",
    "aws.amazon.com/neuron",
)


def amount(quantity: object) -> Fraction:
    """The number that a quantity such as 500m, 8Gi, 1e3 or 2 stands for. Its form has been checked before."""
    text = str(quantity)
    mantissa, _, exponent = text.upper().partition("E")
    if exponent.lstrip("+-").isdigit():  # a long one, written out, would take all memory
        return Fraction(mantissa) * Fraction(10) ** max(-_LARGEST, min(_LARGEST, int(exponent)))
    number = text.rstrip("KMGTPEinumk")
    return Fraction(number) * _SUFFIXES[text[len(number) :]]


def is_accelerator(resource: str) -> bool:
    """Whether a resource's name is that of GPUs or their like."""
    return any(fnmatch(resource, pattern) for pattern in _ACCELERATORS)
