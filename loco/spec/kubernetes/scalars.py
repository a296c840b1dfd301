"""Single values: what counts as a string, an integer, a quantity, and how to say what was expected.

Types are strict, because YAML is not: in `value: 1` and `value: true` stand an integer and a boolean where Kubernetes
wants a string.
"""

import base64
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

# The number as resource.ParseQuantity reads it; "E" alone is exa, "E3" an exponent.
_QUANTITY = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?")
_LONGEST_QUANTITY = 64  # Kubernetes has 64 bits for it, and Python takes long over thousands of digits
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")

DNS_LABEL = "a DNS label: at most 63 of a-z, 0-9 and -, with a letter or digit at both ends"


@dataclass(frozen=True, slots=True)
class Scalar:
    """One type of the tables. `one` and `many` finish the sentences "expected …" and "expected a list of …"."""

    one: str
    many: str
    types: tuple[type, ...]
    valid: Callable[[object], bool] = lambda value: True


def wrong(value: object, type_name: str, enum: tuple[str, ...] = ()) -> Literal["type", "value"] | None:
    """What is wrong with a value that is not null: its type, its content, or nothing (None)."""
    scalar = SCALARS[type_name]
    # bool is a subclass of int, but Kubernetes takes no boolean for a number.
    if not isinstance(value, scalar.types) or (isinstance(value, bool) and bool not in scalar.types):
        return "type"
    if (enum and value not in enum) or not scalar.valid(value):
        return "value"
    return None


def is_dns_label(value: str) -> bool:
    return _DNS_LABEL.fullmatch(value) is not None


def choice(enum: tuple[str, ...]) -> str:
    """("Always", "Never") as "one of Always, Never"; a lone word stands for itself."""
    words = [word or '""' for word in enum]
    return words[0] if len(words) == 1 else "one of " + ", ".join(words)


def _is_quantity(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_QUANTITY and _QUANTITY.fullmatch(value) is not None
    return not isinstance(value, float) or math.isfinite(value)


def _is_int32(value: object) -> bool:
    return isinstance(value, int) and -(2**31) <= value < 2**31


def _is_base64(value: object) -> bool:
    try:
        # As Go's decoder: line breaks are skipped, everything else is strict.
        base64.b64decode(str(value).replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        return False
    return True


SCALARS: Mapping[str, Scalar] = {
    "any": Scalar("any value", "values", (object, bool)),
    "boolean": Scalar("true or false", "booleans", (bool,)),
    "bytes": Scalar("base64 text", "base64 texts", (str,), _is_base64),
    "int-or-string": Scalar("an integer or a string", "integers or strings", (int, str)),
    "int32": Scalar("an integer of 32 bits", "integers of 32 bits", (int,), _is_int32),
    "integer": Scalar("an integer", "integers", (int,)),
    "number": Scalar("a number", "numbers", (int, float)),
    "object": Scalar("a mapping", "mappings", (Mapping,)),
    "quantity": Scalar(
        "a quantity such as 500m or 1Gi", "quantities such as 500m or 1Gi", (str, int, float), _is_quantity
    ),
    "string": Scalar("a string", "strings", (str,)),
    "time": Scalar(
        "a time such as 2026-01-31T12:00:00Z",
        "times such as 2026-01-31T12:00:00Z",
        (str,),
        lambda value: _TIME.fullmatch(str(value)) is not None,
    ),
}
