"""Why something changes, in words: what, from which value to which, and where each was written."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from loco.cli.diff.shown import NUMBER, shown
from loco.cli.value_text import as_json_line
from loco.model import Origin
from loco.model.finding import HIDDEN, shown_value

SHIPPED = ("preset:", "profile:")  # layers of loco's own
_LONGEST = 80
_COUNTS_TOKENS = re.compile(r"tokens", re.IGNORECASE)
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"  # what the engine writes for a value that it doesn't know yet
# A word that looks like a key, whatever it stands under: a known beginning and enough behind it.
_KEY_LIKE = re.compile(r"\b(?:sk-|[spr]k_|hf_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|eyJ)[\w.-]{12,}")


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason.

    Attributes:
        what: such as ``image``, ``flag --max-model-len``, ``credential openai``.
        old: the value before, shortened, without what could be a secret; None where there was none, or none is shown.
        new: the value now; likewise.
        origin: who sets it now; None where loco derives it.
        old_origin: who set it in the revision that is compared with; None where there is none.
        detail: whether it follows from something else, so that it doesn't stand in a summary.
    """

    what: str
    old: str | None = None
    new: str | None = None
    origin: Origin | None = None
    old_origin: Origin | None = None
    detail: bool = False

    def as_dict(self) -> dict[str, object]:
        """The form that ``loco report -o json`` prints."""
        return {
            "what": self.what,
            "old": self.old,
            "new": self.new,
            "origin": self.origin.as_dict() if self.origin else None,
            "oldOrigin": self.old_origin.as_dict() if self.old_origin else None,
            "detail": self.detail,
        }


def cause_between(
    what: str, values: Iterable[str | None], places: Iterable[Origin | None], detail: bool = False
) -> Cause:
    """A cause with two values and two places; of the values the old one first, of the places that of now."""
    old, new = values
    origin, old_origin = places
    return Cause(what, old, new, origin, old_origin, detail)


def value_text(value: Any, path: str) -> str | None:
    """A value on one line, shortened, with nothing in it that could be a secret. None stays None."""
    if value is None:
        return None
    found = shown(value, path)
    text = found if isinstance(found, str) and found and found.isprintable() else as_json_line(found)
    text = _KEY_LIKE.sub(HIDDEN, text).replace(_UNKNOWN, "(known after the update)")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def flag_text(name: str, value: str | None) -> str | None:
    """A flag's value; of one whose name is a secret's, none. A count of tokens is no token."""
    if value is None:
        return None
    if "\n" in value:
        return f"text of {len(value.splitlines())} lines"
    if NUMBER.fullmatch(value) and _COUNTS_TOKENS.search(name):
        return value
    found = json.loads(shown_value(name, value)) if value else "on"
    return value_text(found, "flag")
