"""YAML text to trees with line numbers, and every trap of YAML as a finding.

Reads what Kubernetes tools read (YAML 1.1 booleans, octal integers), except where silence would hurt: duplicate
keys, keys that are not text, numbers that JSON or Kubernetes don't have and tags are findings. Dates and base-60
numbers stay text, as they do for ``kubectl``.
"""

import math
import re
from collections.abc import Iterator

import yaml

from loco.model import Finding, Origin
from loco.spec.tree import HALF_CHARACTER, LARGEST, MOST_LEVELS, Branch, Leaf, Node, Row, Scalar

_MOST_NODES = 200_000  # a document larger than this is an alias bomb, not a model
# A value in quotes after a key, a dash or an opening bracket.
_QUOTED_VALUE = re.compile(r"""(?:^|[:\-,]\s|[\[{])\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""")
_CORE = "tag:yaml.org,2002:"
_BOOL = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}


class _Loader(yaml.SafeLoader):
    """SafeLoader's scanner and composer, with the resolver below; its constructors are never used."""


def _resolver() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """PyYAML's table of implicit types without dates and ``=``, and with numbers as kubectl reads them: no base 60."""
    integer = re.compile(
        r"^[-+]?(?:0b[01][01_]*|0o?[0-7][0-7_]*|0x[0-9a-fA-F][0-9a-fA-F_]*|0|[1-9][0-9_]*)$"  # 010 is octal
    )
    number = re.compile(
        r"^(?:[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    )
    replaced = {f"{_CORE}int": integer, f"{_CORE}float": number}
    table: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items():
        dropped = (f"{_CORE}timestamp", f"{_CORE}value")
        table[first] = [(tag, replaced.get(tag, pattern)) for tag, pattern in rules if tag not in dropped]
    return table


_Loader.yaml_implicit_resolvers = _resolver()


def read_yaml(text: str, file: str, layer: str) -> tuple[list[Node], list[Finding]]:
    """All documents of one file.

    Args:
        text: the file's content.
        file: its name, for origins.
        layer: the layer that its values belong to.

    Returns:
        One tree per non-empty document, and the findings (``LOCO-YAML``). What comes after text that is not YAML is
        not read.
    """
    reader = _Reader(file, layer)
    try:
        for composed in _documents(text):
            if not _is_null(composed):
                reader.trees.append(reader.document(composed))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        line = mark.line + 1 if mark else None
        reader.refuse(line, f"this is not YAML: {problem}", _cure_of(problem, text, mark))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"this is not YAML: the character U+{error.character:04X} is not allowed"
        reader.refuse(line, message, "UTF-8 text without control characters")
    except RecursionError:
        reader.refuse_depth(None)
    except _TooLarge as error:
        message = f"this YAML expands to more than {_MOST_NODES} values"
        reader.refuse(error.line, message, "fewer aliases (*name), or none")
    return reader.trees, reader.findings


def _documents(text: str) -> Iterator[yaml.Node]:
    loader = _Loader(re.sub("^\ufeff", "", text, flags=re.MULTILINE))  # each document may begin with a byte order mark
    try:
        while loader.check_node():
            if (node := loader.get_node()) is not None:
                yield node
    except (ValueError, OverflowError) as error:  # PyYAML takes "\UFFFFFFFF" for a character
        raise yaml.MarkedYAMLError(None, None, f"{error}", loader.get_mark()) from error
    finally:
        loader.dispose()


class _TooLarge(Exception):
    """A document whose aliases multiply."""

    def __init__(self, line: int) -> None:
        self.line = line


class _Reader:
    """Turns composed documents into trees."""

    def __init__(self, file: str, layer: str) -> None:
        self.file, self.layer = file, layer
        self.trees: list[Node] = []
        self.findings: list[Finding] = []
        self.count = 0
        self.open: list[yaml.Node] = []

    def refuse(self, line: int | None, message: str, cure: str, value: object = None) -> None:
        finding = Finding("LOCO-YAML", "error", "", message, cure, Origin(self.layer, self.file, line), value=value)
        if finding not in self.findings:  # an alias brings its anchor's faults again
            self.findings.append(finding)

    def refuse_depth(self, line: int | None) -> None:
        self.refuse(line, "this YAML is nested too deeply to be read", f"at most {MOST_LEVELS} levels")

    def document(self, node: yaml.Node) -> Node:
        self.count = 0
        return self.plant(node, node.start_mark.line + 1)

    def plant(self, node: yaml.Node, key_line: int | None = None) -> Node:
        """A node's tree. A mapping or list under a key stands where its key does."""
        line = node.start_mark.line + 1
        self.grow(line)
        if isinstance(node, yaml.ScalarNode):
            value = self.scalar(node, line)
            spelling = None if isinstance(value, str) else str(node.value)
            return Leaf(value, Origin(self.layer, self.file, line), spelling=spelling)
        origin = Origin(self.layer, self.file, key_line or line)
        if any(node is outer for outer in self.open):
            self.refuse(line, "an alias refers to the mapping or list that it stands in", "the value itself")
            return Leaf(None, origin)
        if len(self.open) >= MOST_LEVELS:
            self.refuse_depth(line)
            return Leaf(None, origin)
        self.open.append(node)
        try:
            if isinstance(node, yaml.SequenceNode) and node.tag == f"{_CORE}seq":
                return Row(tuple(self.plant(item) for item in node.value), origin)
            if isinstance(node, yaml.MappingNode) and node.tag == f"{_CORE}map":
                return Branch(self.items(node), origin)
        finally:
            self.open.pop()
        self.refuse(line, f"the tag {node.tag} has no meaning here", "a plain mapping or list")
        return Leaf(None, origin)

    def grow(self, line: int) -> None:
        self.count += 1
        if self.count > _MOST_NODES:
            raise _TooLarge(line)

    def items(self, node: yaml.MappingNode) -> dict[str, Node]:
        items: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in self.pairs(node):
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                message = "YAML reads a mapping or list as a key here"
                self.refuse(line, message, "the text in quotes, if it was to start with { or [")
                continue
            key: str = key_node.value
            if key_node.tag != f"{_CORE}str":
                kind = key_node.tag.removeprefix(_CORE)
                self.refuse(line, f"YAML reads the key {key} as {kind}, not as text", f'"{key}": in quotes', key)
            elif key in items:
                self.refuse(line, f"the key {key} stands twice in one mapping, first on line {lines[key]}", "it once")
            elif HALF_CHARACTER.search(key):
                self.refuse_half_character(line)
            else:
                items[key], lines[key] = self.plant(value_node, line), line
        return items

    def pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """The mapping's own pairs; then those of merge keys (``<<``) that it doesn't have itself."""
        merged: list[tuple[yaml.Node, yaml.Node]] = []
        own: set[str] = set()
        for key, value in node.value:
            if key.tag != f"{_CORE}merge":
                own.add(key.value if isinstance(key, yaml.ScalarNode) else "")
                yield key, value
                continue
            for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                line = key.start_mark.line + 1
                if not isinstance(source, yaml.MappingNode) or any(source is outer for outer in self.open):
                    self.refuse(line, "<< takes a mapping or a list of mappings", "<<: *anchor")
                    continue
                self.open.append(source)
                for pair in self.pairs(source):
                    self.grow(line)
                    merged.append(pair)
                self.open.pop()
        for key, value in merged:
            if isinstance(key, yaml.ScalarNode) and key.value not in own:
                own.add(key.value)
                yield key, value

    def scalar(self, node: yaml.ScalarNode, line: int) -> Scalar:
        text: str = node.value
        try:
            value = _value(text, node.tag.removeprefix(_CORE))
        except LookupError:
            self.refuse(line, f"the tag {node.tag} has no meaning here", f'"{text}" as plain text', text)
            return None
        except ValueError:
            self.refuse(line, f"{text} is no {node.tag.removeprefix(_CORE)}", "a plain value without a tag", text)
            return None
        if isinstance(value, str) and HALF_CHARACTER.search(value):
            self.refuse_half_character(line)
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self.refuse(line, f"JSON has no number {text}", f'"{text}" in quotes, or a finite number', text)
            return None
        if isinstance(value, int) and not -LARGEST <= value < LARGEST:
            self.refuse(line, "Kubernetes has no integers of more than 64 bits", "it in quotes, if it is text", text)
            return None
        return value

    def refuse_half_character(self, line: int) -> None:
        self.refuse(line, "this text holds half a character (a lone surrogate such as \\ud83d)", "the whole character")


def _value(text: str, kind: str) -> Scalar:
    """LookupError for a kind that JSON doesn't have, ValueError for text that isn't of its kind (by a tag)."""
    if kind == "str":
        return text
    if kind == "null":
        return None
    if kind == "bool":
        if text.lower() not in _BOOL:
            raise ValueError(text)
        return _BOOL[text.lower()]
    if kind == "int":
        return _integer(text)
    if kind == "float":
        return float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
    raise LookupError(kind)


def _integer(text: str) -> int:
    digits = text.replace("_", "").lower()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    if len(digits) > 100:  # no 64-bit number, and Python takes long over very many digits
        return LARGEST
    if digits.startswith(("0b", "0x", "0o")):
        return sign * int(digits, 0)
    return sign * int(digits, 8 if digits.startswith("0") and digits != "0" else 10)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _cure_of(problem: str, text: str, mark: yaml.Mark | None) -> str:
    if "\\t" in problem:
        return "spaces for indentation; YAML allows no tabs"
    lines = text.splitlines()
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    if mark and (quote := _quote_around(line, mark.column)):
        inside = (
            '\\" for each " inside of it, or \' around it'
            if quote == '"'
            else "'' for each ' inside of it, or \" around it"
        )
        return f"{inside}: the value ends at its second {quote}"
    if "{{" in line:
        return "the value in quotes: YAML reads { at its start as a mapping"
    if "mapping values are not allowed" in problem:
        return "the value in quotes where it contains a colon and a space, or mend the indentation"
    return "well-formed YAML"


def _quote_around(line: str, column: int) -> str | None:
    """The quote that a value of a line is in, where text stands right behind its end; ``column`` is in that text."""
    for value in _QUOTED_VALUE.finditer(line):
        behind = value.end() <= column and not line[value.end() : column].strip()
        if behind and line[column : column + 1] not in ("", "#", ",", "]", "}", ":"):
            return value[1][0]
    return None
