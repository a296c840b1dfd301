"""Plain data as YAML that every reader takes for the same data."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml


def write_yaml(documents: Iterable[Mapping[str, Any]]) -> str:
    """Documents as YAML text, keys in their order; what is text stays text for readers of YAML 1.1 and 1.2 alike."""
    text: str = yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


class _Dumper(yaml.SafeDumper):
    """Plain YAML for people: scripts as blocks, no aliases, lists indented."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    if _READ_AS_SOMETHING_ELSE.fullmatch(value) or _ODD_LINE_ENDS.search(value):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


# Readers of YAML 1.1 and 1.2 disagree on what ends a line.
_ODD_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
# Text that PyYAML takes for text, and some other reader (kubectl, YAML 1.2) for a boolean or a number.
_READ_AS_SOMETHING_ELSE = re.compile(
    r"[yYnN]|[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?0[xob][0-9a-fA-F_]+|[-+]\.inf"
)

_Dumper.add_representer(str, _text)
