"""One Go template expression, ``{{`` to ``}}``, read into a small tree. Nothing of it is evaluated here."""

import json
import re
from dataclasses import dataclass

from loco.spec.tree import HALF_CHARACTER

LONGEST_SHOWN = 100
_DEEPEST = 20  # of nested parentheses
_MOST = 200  # tokens in one expression

# The functions of the subset, with the fewest and the most arguments that each takes.
FUNCTIONS: dict[str, tuple[int, int]] = {
    "ChildName": (2, 2),
    "shutdownTimeout": (2, 2),
    "kvTransferConfig": (1, 1),
    "index": (2, _MOST),
    "or": (1, _MOST),
    "and": (1, _MOST),
    "not": (1, 1),
    "eq": (2, _MOST),
    "ne": (2, 2),
    "lt": (2, 2),
    "le": (2, 2),
    "gt": (2, 2),
    "ge": (2, 2),
}
_WORDS = {"true": True, "false": False, "nil": None}
_OTHERS = ("range", "with", "define", "template", "block", "break", "continue", "printf", "print", "println")

_SPACE = r"[ \t\r\n]"
_TOKEN = re.compile(
    rf"""(?P<space>{_SPACE}*)(?:
      (?P<close>(?:(?<={_SPACE})-)?\}}\}})
    | (?P<field>(?:\.[A-Za-z_]\w*)+)
    | (?P<number>-?[0-9]{{1,18}}(?![\w.]))
    | (?P<raw>`[^`]*`)
    | (?P<quoted>"(?:[^"\\\n]|\\.)*")
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>[()|])
    )""",
    re.VERBOSE | re.ASCII,
)


class Misread(Exception):
    """Why an expression is outside the subset, in a few words."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Text, a whole number, true, false or nil."""

    value: str | int | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """``.Spec.Model.Name``, or the same behind an expression in parentheses."""

    names: tuple[str, ...]
    base: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments; a pipe's value is the last one."""

    function: str
    arguments: tuple["Expression", ...]


Expression = Literal | Field | Call


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What one pair of braces holds, and where it ends.

    Attributes:
        word: ``if``, ``else``, ``else if``, ``end``, or empty.
        end: the position behind the closing braces.
    """

    word: str
    expression: Expression | None
    trims_left: bool
    trims_right: bool
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    spaced: bool


def read_pipeline(text: str, start: int) -> Pipeline:
    """Reads from behind the opening braces. Raises ``Misread``."""
    trims_left = text.startswith("-", start) and text[start + 1 : start + 2] in (" ", "\t", "\r", "\n")
    tokens, end = _tokens(text, start + trims_left)
    trims_right = text.startswith("-", end - 3)
    word = ""
    if tokens and tokens[0].kind == "word" and tokens[0].text in ("if", "else", "end"):
        word = tokens.pop(0).text
        if word == "else" and tokens and tokens[0].text == "if":
            word = "else if"
            tokens.pop(0)
    expression = None
    if word in ("else", "end"):
        if tokens:
            raise Misread(f"{word} stands alone")
    elif not tokens:
        raise Misread("it is empty")
    else:
        expression = _Parser(tokens).whole()
    return Pipeline(word, expression, trims_left, trims_right, end)


def _tokens(text: str, at: int) -> tuple[list[_Token], int]:
    tokens: list[_Token] = []
    while (match := _TOKEN.match(text, at)) is not None:
        at = match.end()
        kind = match.lastgroup or ""
        if kind == "close":
            return tokens, at
        if len(tokens) == _MOST:
            raise Misread(f"it has more than {_MOST} words")
        spaced = not tokens or bool(match["space"]) or (tokens[-1].kind == "mark" and tokens[-1].text != ")")
        tokens.append(_Token(kind, match[kind], spaced))
    rest = text[at : at + 40].lstrip()
    raise Misread(f"{rest[0]!r} has no place here" if rest else "there is no }} that ends it")


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens, self.at = tokens, 0

    def whole(self) -> Expression:
        expression = self._pipe(0)
        if self.at < len(self.tokens):
            raise Misread(f"{self.tokens[self.at].text!r} has no place here")
        return expression

    def _peek(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _pipe(self, depth: int) -> Expression:
        expression = self._command(depth, None)
        while (token := self._peek()) is not None and token.text == "|" and token.kind == "mark":
            self.at += 1
            expression = self._command(depth, expression)
        return expression

    def _command(self, depth: int, piped: Expression | None) -> Expression:
        """A function with arguments, or one operand."""
        head = self._peek()
        if head is None:
            raise Misread("a value is missing")
        if head.kind == "word" and head.text not in _WORDS:
            self.at += 1
            if head.text not in FUNCTIONS:
                raise Misread(_no_function(head.text))
            arguments = []
            while (token := self._peek()) is not None and token.text not in ("|", ")"):
                arguments.append(self._operand(depth))
            return Call(head.text, (*arguments, piped) if piped is not None else tuple(arguments))
        operand = self._operand(depth)
        if piped is not None:
            raise Misread("a pipe leads into a function")
        if operand == Literal(None):
            raise Misread("nil is no value of its own")
        if (token := self._peek()) is not None and token.text not in ("|", ")"):
            raise Misread("only a function takes arguments")
        return operand

    def _operand(self, depth: int) -> Expression:
        token = self.tokens[self.at]
        self.at += 1
        if self.at > 1 and not token.spaced and token.text != ")":
            raise Misread(f"a space is missing before {token.text[:LONGEST_SHOWN]!r}")
        if token.kind == "field":
            return Field(tuple(token.text[1:].split(".")))
        if token.kind == "number":
            return Literal(int(token.text))
        if token.kind == "raw":
            return Literal(token.text[1:-1])
        if token.kind == "quoted":
            return Literal(_unquoted(token.text))
        if token.kind == "word":
            if token.text in _WORDS:
                return Literal(_WORDS[token.text])
            raise Misread(
                f"{token.text!r} as an argument stands in parentheses"
                if token.text in FUNCTIONS
                else _no_function(token.text)
            )
        if token.text != "(":
            raise Misread(f"{token.text!r} has no place here")
        return self._parenthesised(depth + 1)

    def _parenthesised(self, depth: int) -> Expression:
        if depth > _DEEPEST:
            raise Misread(f"parentheses nest deeper than {_DEEPEST}")
        inner = self._pipe(depth)
        closing = self._peek()
        if closing is None or closing.text != ")":
            raise Misread("a ) is missing")
        self.at += 1
        behind = self._peek()
        if behind is not None and behind.kind == "field" and not behind.spaced:
            self.at += 1
            return Field(tuple(behind.text[1:].split(".")), inner)
        return inner


def _no_function(word: str) -> str:
    if word in _OTHERS:
        return f"{word} is not in the subset"
    return f"there is no function {word[:LONGEST_SHOWN]}"


def _unquoted(text: str) -> str:
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        raise Misread(r"an escape that isn't known; write `…`, or \" and \\ in quotes") from None
    if not isinstance(value, str) or HALF_CHARACTER.search(value):
        raise Misread("half a character (a lone surrogate)")
    return value
