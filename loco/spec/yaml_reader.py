"""YAML text to trees with line numbers, and every trap of YAML as a finding.

Reads what Kubernetes tools read (YAML 1.1 booleans, octal integers), except where silence would hurt: duplicate
keys, keys that are not text, numbers that JSON doesn't have and tags are findings. Dates and base-60 numbers stay
text, as they do for ``kubectl``.
"""

import math
import re
from collections.abc import Callable, Iterator

import yaml

from loco.model import Finding, Origin
from loco.spec.tree import Branch, Leaf, Node, Row, Scalar

_MOST_NODES = 200_000  # a document larger than this is an alias bomb, not a model
_BOOL = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}


class _Loader(yaml.SafeLoader):
    """SafeLoader's scanner and composer, with the resolver below; its constructors are never used."""


def _resolver() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """PyYAML's table of implicit types without dates, and with integers and floats that have no base 60."""
    integer = re.compile(r"^(?:[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+)$")
    number = re.compile(
        r"^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
        r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    )
    replaced = {"tag:yaml.org,2002:int": integer, "tag:yaml.org,2002:float": number}
    table: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items():
        kept = [(tag, replaced.get(tag, pattern)) for tag, pattern in rules if not tag.endswith(":timestamp")]
        table[first] = kept
    for first in "-+.0123456789":  # the new float pattern starts where the old one could not
        tags = [tag for tag, _ in table.get(first, [])]
        if "tag:yaml.org,2002:float" not in tags:
            table.setdefault(first, []).append(("tag:yaml.org,2002:float", number))
    return table


_Loader.yaml_implicit_resolvers = _resolver()


def read_yaml(text: str, file: str, layer: str) -> tuple[list[Node], list[Finding]]:
    """All documents of one file.

    Args:
        text: the file's content.
        file: its name, for origins.
        layer: the layer that its values belong to.

    Returns:
        One tree per non-empty document, and the findings (``LOCO-YAML``). A file that is not YAML has no trees.
    """
    findings: list[Finding] = []

    def refuse(line: int | None, message: str, cure: str, value: object = None) -> None:
        findings.append(Finding("LOCO-YAML", "error", "", message, cure, Origin(layer, file, line), value=value))

    trees: list[Node] = []
    loader = _Loader(text.removeprefix("\ufeff"))
    try:
        while loader.check_node():
            composed = loader.get_node()
            if composed is None or _is_null(composed):
                continue
            trees.append(_Planter(file, layer, refuse).plant(composed))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        refuse(mark.line + 1 if mark else None, f"this is not YAML: {problem}", _cure_of(problem, text, mark))
        return [], findings
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else None
        refuse(line, f"this is not YAML: {error.reason}", "UTF-8 text without control characters")
        return [], findings
    except RecursionError:
        refuse(None, "this YAML is nested too deeply to be read", "at most a few dozen levels")
        return [], findings
    except _TooLarge:
        refuse(None, f"this YAML expands to more than {_MOST_NODES} values", "fewer aliases (*name), or none")
        return [], findings
    finally:
        loader.dispose()
    return trees, findings


class _TooLarge(Exception):
    """A document whose aliases multiply."""


class _Planter:
    """Turns one composed document into a tree."""

    def __init__(self, file: str, layer: str, refuse: Callable[..., None]) -> None:
        self.file, self.layer, self.refuse = file, layer, refuse
        self.count = 0
        self.open: list[yaml.Node] = []

    def plant(self, node: yaml.Node) -> Node:
        self.count += 1
        if self.count > _MOST_NODES:
            raise _TooLarge
        line = node.start_mark.line + 1
        origin = Origin(self.layer, self.file, line)
        if any(node is outer for outer in self.open):
            self.refuse(line, "an alias refers to the mapping or list that it stands in", "the value itself")
            return Leaf(None, origin)
        if isinstance(node, yaml.ScalarNode):
            return Leaf(self.scalar(node, line), origin)
        self.open.append(node)
        try:
            if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
                return Row(tuple(self.plant(item) for item in node.value), origin)
            if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
                return Branch(self.items(node), origin)
        finally:
            self.open.pop()
        self.refuse(line, f"the tag {node.tag} has no meaning here", "a plain mapping or list")
        return Leaf(None, origin)

    def items(self, node: yaml.MappingNode) -> dict[str, Node]:
        items: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in self.pairs(node):
            line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None or not key_node.tag.endswith(":str"):
                shown = key if key is not None else "a mapping or list"
                kind = key_node.tag.rpartition(":")[2]
                self.refuse(line, f"YAML reads the key {shown} as {kind}, not as text", f'"{shown}": in quotes', key)
                continue
            if key in items:
                self.refuse(line, f"the key {key} stands twice in one mapping, first on line {lines[key]}", "it once")
                continue
            items[key], lines[key] = self.plant(value_node), line
        return items

    def pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """The mapping's own pairs; then those of merge keys (``<<``) that it doesn't have itself."""
        merged: list[tuple[yaml.Node, yaml.Node]] = []
        own: set[str] = set()
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                own.add(key.value if isinstance(key, yaml.ScalarNode) else "")
                yield key, value
                continue
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for source in sources:
                if not isinstance(source, yaml.MappingNode) or any(source is outer for outer in self.open):
                    self.refuse(key.start_mark.line + 1, "<< takes a mapping or a list of mappings", "<<: *anchor")
                    continue
                merged.extend(self.pairs(source))
        for key, value in merged:
            if isinstance(key, yaml.ScalarNode) and key.value not in own:
                own.add(key.value)
                yield key, value

    def scalar(self, node: yaml.ScalarNode, line: int) -> Scalar:
        kind = node.tag.rpartition(":")[2]
        text: str = node.value
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return _BOOL[text.lower()]
        if kind == "int":
            return _integer(text)
        if kind == "float":
            number = (
                float(text.replace("_", "")) if "inf" not in text.lower() and "nan" not in text.lower() else math.nan
            )
            if math.isfinite(number):
                return number
            self.refuse(line, f"JSON has no number {text}", f'"{text}" in quotes, or a finite number', text)
            return None
        self.refuse(line, f"the tag {node.tag} has no meaning here", f'"{text}" as plain text', text)
        return None


def _integer(text: str) -> int:
    digits = text.replace("_", "").lower()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    if digits.startswith(("0b", "0x", "0o")):
        return sign * int(digits, 0)
    return sign * int(digits, 8 if digits.startswith("0") and digits != "0" else 10)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _cure_of(problem: str, text: str, mark: yaml.Mark | None) -> str:
    if "\\t" in problem:
        return "spaces for indentation; YAML allows no tabs"
    lines = text.splitlines()
    if mark and mark.line < len(lines) and "{{" in lines[mark.line]:
        return "the value in quotes: YAML reads { at its start as a mapping"
    if "mapping values are not allowed" in problem:
        return "the value in quotes where it contains a colon and a space, or mend the indentation"
    return "well-formed YAML"
