"""Text with KServe's Go template expressions, read into parts: the documented subset of Go's text/template.

Two readings of one text. The strict one, of base configs, takes every ``{{`` for an expression, as KServe does. The
other, of a service's text, takes only what begins like one of KServe's own and fits in the subset; what else has braces
(a chat template, an alert's text) is nobody's business here and stays text.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from loco.layers.go_tokens import LONGEST_SHOWN, Expression, Misread, read_pipeline
from loco.spec.tree import Leaf

ALLOWED = (
    "a field of .ObjectMeta, .Spec or .GlobalConfig, ChildName, shutdownTimeout, kvTransferConfig, index, or, and, not, "
    "eq, ne, lt, le, gt, ge, or if … else … end; see docs/templates.md"
)
_DEEPEST = 20  # of nested groups
_MOST = 1000  # expressions in one text

_BRACES = re.compile(r"\{\{+")
_COMMENT = re.compile(r"\{\{(-[ \t\r\n]+)?/\*")
_COMMENT_END = re.compile(r"\*/([ \t\r\n]+-)?\}\}")
_ROOT = r"\.(?:ObjectMeta|Spec|GlobalConfig)(?!\w)"
_OWN = r"(?:ChildName|shutdownTimeout|kvTransferConfig)(?!\w)"
_LOGIC = r"(?:or|and|not|eq|ne|lt|le|gt|ge|index)(?=[ \t\r\n(])"
_START = r"\{\{(?:-(?=[ \t\r\n]))?[ \t\r\n]*(?:if(?=[ \t\r\n(])[ \t\r\n]*)?[( \t\r\n]{0,40}"
_OURS = re.compile(rf"{_START}(?:(?P<sure>{_ROOT}|{_OWN})|{_LOGIC})", re.ASCII)
_NAMES_A_ROOT = re.compile(_ROOT, re.ASCII)
_GO_STRING = re.compile(r"\{\{-?[ \t\r\n]*`([^`]*)`[ \t\r\n]*-?\}\}")
_LONGEST_LOOK = 2000  # how far a doubtful expression is searched for its end
_LONGEST_KEPT = 20_000  # characters of a text that is worth remembering


@dataclass(frozen=True, slots=True)
class Text:
    """What stands there as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Insert:
    """An expression whose value takes its place; ``source`` is how it was written."""

    source: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Choice:
    """An if … else … end: the parts of the first branch whose condition holds, else the others."""

    branches: tuple[tuple[Insert, tuple["Part", ...]], ...]
    otherwise: tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """What looks like an expression and is outside the subset; ``text`` is all that it leaves as it is."""

    source: str
    reason: str
    text: str


Part = Text | Insert | Choice | Unread


def read_template(text: str, strict: bool) -> tuple[Part, ...]:
    """The parts of a text. Never raises; takes time in proportion to the text.

    Args:
        strict: every ``{{`` begins an expression, and one outside the subset is ``Unread``.
    """
    return _remembered(text, strict) if len(text) <= _LONGEST_KEPT else tuple(_Reader(text, strict).top())


@lru_cache(maxsize=1024)
def _remembered(text: str, strict: bool) -> tuple[Part, ...]:
    return tuple(_Reader(text, strict).top())


def is_config(layer: str) -> bool:
    """Whether a layer is an LLMInferenceServiceConfig document, whose text is read strictly."""
    return layer.startswith(("baseRef:", "config:"))


def is_template(leaf: Leaf) -> bool:
    """Whether the text of a leaf is made by a template, KServe's or a preset's."""
    text, layer = leaf.value, leaf.origin.layer
    if not isinstance(text, str) or "{" not in text:
        return False
    if layer.startswith("preset:"):
        return "{{" in text or "{%" in text
    return any(not isinstance(part, Text) for part in read_template(text, is_config(layer)))


class _GroupFails(Exception):
    """A group that can't be read as a whole."""

    def __init__(self, source: str, reason: str) -> None:
        self.source, self.reason = source, reason


@dataclass(frozen=True, slots=True)
class _Action:
    source: str
    word: str  # "", "if", "else", "else if", "end", "comment"
    expression: Expression | None
    trims_left: bool
    trims_right: bool


class _Reader:
    """Walks once over the text: ``at`` only grows."""

    def __init__(self, text: str, strict: bool) -> None:
        self.text, self.strict = text, strict
        self.at = 0
        self.trimming = False  # whether the expression before has asked for it
        self.adjacent = False  # whether the last part is the text right before the next expression
        self.comments_end = True
        self.count = 0

    def top(self) -> list[Part]:
        parts: list[Part] = []
        while (start := self._next(parts, in_group=False)) is not None:
            try:
                if self.count > _MOST:
                    raise _GroupFails(self._shown(start), f"more than {_MOST} expressions in one text")
                self._one(start, parts)
            except _GroupFails as failure:
                parts.append(Unread(failure.source, failure.reason, self.text[start:]))
                break
        return parts

    def _one(self, start: int, parts: list[Part]) -> None:
        if (escaped := self._escaped(start)) is not None:
            reason = "braces of a service need no escaping, and these stay as they are"
            self.at = escaped.end()
            parts.append(Unread(escaped.group()[:LONGEST_SHOWN], reason, escaped.group()))
            return
        try:
            action = self._action(start)
        except Misread as error:
            self._unread(start, str(error), parts)
            return
        self._trim_before(action, parts)
        if action.word == "if":
            parts.append(self._group(action, 1))
        elif action.expression is not None and not action.word:
            parts.append(Insert(action.source, action.expression))
        elif action.word != "comment":
            parts.append(Unread(action.source, f"there is no if that this {action.word} belongs to", action.source))

    def _group(self, opening: _Action, depth: int) -> Choice:
        """The rest of a group whose if was just read. Raises ``_GroupFails``."""
        if depth > _DEEPEST:
            raise _GroupFails(opening.source, f"conditions nest deeper than {_DEEPEST}")
        branches: list[tuple[Insert, tuple[Part, ...]]] = []
        condition: Insert | None = _condition(opening)
        parts: list[Part] = []
        while (start := self._next(parts, in_group=True)) is not None and self.count <= _MOST:
            try:
                action = self._action(start)
            except Misread as error:
                if not self.strict:
                    raise _GroupFails(self._shown(start), str(error)) from None
                self._unread(start, str(error), parts)
                continue
            self._trim_before(action, parts)
            if action.word == "if":
                parts.append(self._group(action, depth + 1))
            elif not action.word and action.expression is not None:
                parts.append(Insert(action.source, action.expression))
            elif action.word == "end":
                if condition is None:
                    return Choice(tuple(branches), tuple(parts))
                return Choice((*branches, (condition, tuple(parts))), ())
            elif action.word != "comment":
                if condition is None:
                    raise _GroupFails(action.source, "a second else")
                branches.append((condition, tuple(parts)))
                condition = _condition(action) if action.word == "else if" else None
                parts = []
        missing = f"no end within {_MOST} expressions" if self.count > _MOST else "no end"
        raise _GroupFails(opening.source, f"there is {missing} that belongs to this if")

    def _next(self, parts: list[Part], *, in_group: bool) -> int | None:
        """The start of the next expression, after the text before it has gone to ``parts``; None at the end."""
        search = self.at
        while (braces := _BRACES.search(self.text, search)) is not None:
            start, end = braces.end() - 2, braces.end()
            if end - braces.start() > 2 and self.strict:
                start = braces.start()  # Go takes the first two, and can't read the third
            if self.strict or in_group or self._is_ours(start):
                self.count += 1
                self._text(start, parts)
                return start
            search = end
        self._text(len(self.text), parts)
        return None

    def _is_ours(self, start: int) -> bool:
        """Whether an expression begins like KServe's. A condition or function may be anybody's, until it names a root."""
        match = _OURS.match(self.text, start)
        if match is None:
            return self._escaped(start) is not None
        if match["sure"]:
            return True
        end = self.text.find("}}", start, start + _LONGEST_LOOK)
        return end > 0 and _NAMES_A_ROOT.search(self.text, start, end) is not None

    def _escaped(self, start: int) -> re.Match[str] | None:
        """Braces as KServe makes an author write them: a literal of its own, which nothing but Go knows."""
        match = None if self.strict else _GO_STRING.match(self.text, start, start + _LONGEST_LOOK)
        return match if match is not None and ("{{" in match[1] or "}}" in match[1]) else None

    def _text(self, end: int, parts: list[Part]) -> None:
        text = self.text[self.at : end]
        if self.trimming:  # KServe expands serialised text, where a line's end is two letters and no space
            text = text.lstrip(" ")
        self.trimming = False
        self.at = end
        self.adjacent = bool(text)
        if text:
            parts.append(Text(text))

    def _trim_before(self, action: _Action, parts: list[Part]) -> None:
        if action.trims_left and self.adjacent and isinstance(last := parts[-1], Text):
            parts[-1] = replace(last, text=last.text.rstrip(" "))
        self.trimming = action.trims_right

    def _unread(self, start: int, reason: str, parts: list[Part]) -> None:
        """Leaves the braces, and goes on behind them: what follows may be an expression."""
        self.at = start + 2
        if self.strict:
            end = self.text.find("}}", start, start + _LONGEST_LOOK)
            self.at = end + 2 if end > 0 else self.at
        parts.append(Unread(self._shown(start), reason, self.text[start : self.at]))

    def _shown(self, start: int) -> str:
        end = self.text.find("}}", start, start + LONGEST_SHOWN)
        return self.text[start : end + 2] if end > 0 else self.text[start : start + LONGEST_SHOWN]

    def _comment_end(self, start: int) -> re.Match[str] | None:
        end = self.text.find("*/", start) if self.comments_end else -1
        self.comments_end = end >= 0  # or else it is looked for in vain from here on
        return _COMMENT_END.match(self.text, end) if end >= 0 else None

    def _action(self, start: int) -> _Action:
        """Reads one expression, and moves behind it. Raises ``Misread`` and stays where it is."""
        if (comment := _COMMENT.match(self.text, start)) is not None:
            closing = self._comment_end(comment.end())
            if closing is None:
                raise Misread("there is no */}} that ends the comment")
            self.at = closing.end()
            return _Action("", "comment", None, comment[1] is not None, closing[1] is not None)
        if self.text.startswith("{{{", start):
            raise Misread("a third brace")
        read = read_pipeline(self.text, start + 2)
        self.at = read.end
        return _Action(self.text[start : read.end], read.word, read.expression, read.trims_left, read.trims_right)


def _condition(action: _Action) -> Insert:
    assert action.expression is not None, "an if without a condition was read"
    return Insert(action.source, action.expression)
