"""YAML as loco reads it: what kubectl reads, and a finding with the right line wherever silence would hurt."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loco.model import Finding
from loco.spec.tree import at, leaves, plain
from loco.spec.yaml_reader import read_yaml


def read(text: str) -> tuple[list[Any], list[Finding]]:
    trees, findings = read_yaml(text, "f.yaml", "service")
    return [plain(tree) for tree in trees], findings


def value(text: str) -> Any:
    [document], findings = read(f"a: {text}\n")
    assert findings == []
    return document["a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", True),
        ("Off", False),
        ("TRUE", True),
        ("y", "y"),
        ("=", "="),
        ("0755", 493),
        ("0o755", 493),
        ("010", 8),
        ("0", 0),
        ("-0", 0),
        ("08", "08"),
        ("0b11", 3),
        ("0x1F", 31),
        ("0b", "0b"),
        ("0x_", "0x_"),
        ("1_000", 1000),
        ("-12", -12),
        ("9223372036854775807", 2**63 - 1),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("190:20.5", "190:20.5"),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("! x", "x"),
    ],
)
def test_scalars(text: str, expected: object) -> None:
    assert value(text) == expected
    assert type(value(text)) is type(expected)


# Text, line of the finding, and what its message and its cure say.
TRAPS = {
    "boolean key": ("a: 1\non: 2\n", 2, "the key on as bool", '"on": in quotes'),
    "number key": ("a:\n  8080: x\n", 2, "the key 8080 as int", '"8080": in quotes'),
    "null key": ("~: a\n", 1, "the key ~ as null", '"~": in quotes'),
    "mapping as key": ("a: 1\n{b: 1}: c\n", 2, "a mapping or list as a key", "in quotes"),
    "unquoted template": ("a: {{ .Spec }}\n", 1, "a mapping or list as a key", "in quotes"),
    "quotable template": ("a: {{ x }} y\n", 1, "this is not YAML", "in quotes"),
    "tab": ("a:\n\tb: 1\n", 2, "'\\t'", "spaces"),
    "colon": ("a: 1\nb: c: d\n", 2, "mapping values are not allowed", "in quotes"),
    "unknown alias": ("a: 1\nb: *x\n", 2, "undefined alias 'x'", "well-formed"),
    "alias of itself": ("a: 1\nb: &x\n  c: *x\n", 2, "the mapping or list that it stands in", "the value itself"),
    "list of itself": ("a: &x [*x]\n", 1, "the mapping or list that it stands in", "the value itself"),
    "merge of itself": ("a: &x\n  <<: *x\n", 2, "<< takes a mapping", "<<: *anchor"),
    "merge key of text": ("a:\n  <<: 1\n", 2, "<< takes a mapping", "<<: *anchor"),
    "infinity": ("a: 1\nb: .inf\n", 2, "JSON has no number .inf", '".inf" in quotes'),
    "minus infinity": ("b: -.Inf\n", 1, "JSON has no number -.Inf", "finite"),
    "not a number": ("b: .nan\n", 1, "JSON has no number .nan", "finite"),
    "too large a float": ("b: 1e400\n", 1, "JSON has no number 1e400", "finite"),
    "too large an integer": ("b: 9223372036854775808\n", 1, "64 bits", "in quotes"),
    "digits without end": (f"b: {'9' * 5000}\n", 1, "64 bits", "in quotes"),
    "hexadecimal without end": (f"b: 0x{'f' * 5000}\n", 1, "64 bits", "in quotes"),
    "tag": ("a: 1\nb: !secret x\n", 2, "the tag !secret", '"x" as plain text'),
    "core tag of another name": ("b: !x:int 3\n", 1, "the tag !x:int", "plain text"),
    "binary": ("b: !!binary aGk=\n", 1, "binary", "plain text"),
    "python object": ("b: !!python/object/apply:os.system [ls]\n", 1, "os.system", "plain mapping or list"),
    "tagged mapping": ("b: !!set {a}\n", 1, "set", "plain mapping or list"),
    "no int": ("b: !!int abc\n", 1, "abc is no int", "without a tag"),
    "no bool": ("b: !!bool maybe\n", 1, "maybe is no bool", "without a tag"),
    "no float": ("b: !!float x\n", 1, "x is no float", "without a tag"),
    "control character": ("a: 1\nb: \x07\n", 2, "U+0007", "without control characters"),
    "NUL": ("a: \x00\n", 1, "U+0000", "without control characters"),
    "half a character": ('a: 1\nb: "\\ud83d"\n', 2, "half a character", "whole character"),
    "half a character in a key": ('"\\ud83d": 1\n', 1, "half a character", "whole character"),
    "character out of range": ('a: 1\nb: "\\Uffffffff"\n', 2, "this is not YAML", "well-formed"),
    "second document": ("a: 1\n---\nb: [\n", 4, "this is not YAML", "well-formed"),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_trap(trap: str) -> None:
    text, line, message, cure = TRAPS[trap]
    _, findings = read(text)
    assert findings[0].code == "LOCO-YAML"
    assert findings[0].severity == "error"
    assert findings[0].origin is not None
    assert (findings[0].origin.file, findings[0].origin.line) == ("f.yaml", line)
    assert message in findings[0].message
    assert cure in findings[0].cure


def test_duplicate_key_names_both_lines() -> None:
    [document], [finding] = read("a: 1\nb: 2\na: 3\n")
    assert document == {"a": 1, "b": 2}
    assert finding.origin is not None
    assert finding.origin.line == 3
    assert "first on line 1" in finding.message


def test_faults_of_an_anchor_are_said_once() -> None:
    _, findings = read("a: &x {k: 1, k: 2}\nb: *x\nc: *x\n")
    assert len(findings) == 1


def test_all_traps_of_a_file_at_once() -> None:
    _, findings = read("a: 1\na: 2\n1: x\nb: .inf\nc: !x y\n---\non: 1\n")
    assert [finding.origin.line for finding in findings if finding.origin] == [2, 3, 4, 5, 7]


def test_what_stands_before_broken_text_is_read() -> None:
    documents, findings = read("a: 1\n---\nb: [\n")
    assert documents == [{"a": 1}]
    assert len(findings) == 1


def test_anchors_and_merge_keys() -> None:
    text = "a: &x {b: 1, c: 2}\nd: *x\ne:\n  c: 3\n  <<: *x\nf: &y {b: 9, g: 4}\nh: {<<: [*x, *y]}\n"
    [document], findings = read(text)
    assert findings == []
    assert document["d"] == {"b": 1, "c": 2}
    assert document["e"] == {"c": 3, "b": 1}
    assert document["h"] == {"b": 1, "c": 2, "g": 4}


def test_a_quoted_merge_key_is_a_key() -> None:
    assert read('"<<": {a: 1}\n') == ([{"<<": {"a": 1}}], [])


@pytest.mark.parametrize("form", ["[{}]", "{{<<: [{}]}}"])
def test_alias_bomb(form: str) -> None:
    lines = ["a0: &a0 " + ("[x]" if form == "[{}]" else "{x: 1}")]
    lines += [f"a{i}: &a{i} " + form.format(",".join([f"*a{i - 1}"] * 9)) for i in range(1, 12)]
    _, [finding] = read("\n".join(lines))
    assert "expands to more than" in finding.message


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "[" * 200 + "]" * 200, "- " * 200 + "x"])
def test_nesting_without_end(text: str) -> None:
    _, [finding] = read(text)
    assert "nested too deeply" in finding.message


def test_byte_order_marks_and_line_ends() -> None:
    assert read("\ufeffa: 1\n---\n\ufeffb: 2\n") == ([{"a": 1}, {"b": 2}], [])
    trees, findings = read_yaml("a: 1\r\nb:\r\n  c: 2\r\n", "f", "service")
    assert findings == []
    assert plain(trees[0]) == {"a": 1, "b": {"c": 2}}
    assert [node.origin.line for _, node in leaves(trees[0])] == [1, 3]


@pytest.mark.parametrize("text", ["", "---\n", "# nothing\n", "---\n---\n# x\n---\n", "~\n", "null\n---\n"])
def test_empty_documents_are_none(text: str) -> None:
    assert read(text) == ([], [])


def test_lines() -> None:
    text = "a: 1\n\nb:\n  # why\n  c:\n    - x\n    - {d: 2}\ne: |\n  text\nf:\n  long\n"
    [tree], _ = read_yaml(text, "f.yaml", "service")
    where = {path: node.origin.line for path, node in leaves(tree)}
    assert where == {("a",): 1, ("b", "c", 0): 6, ("b", "c", 1, "d"): 7, ("e",): 8, ("f",): 11}
    lines = {path: node.origin.line for path in [("b",), ("b", "c"), ("b", "c", 1)] if (node := at(tree, path))}
    assert lines == {("b",): 3, ("b", "c"): 5, ("b", "c", 1): 7}, "a mapping or list stands where its key does"


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"%@`#,?~<.0x_\n\t \r\\u\ufeff\x00\x85\ud800é"), max_size=60))
def test_no_text_raises(text: str) -> None:
    trees, findings = read_yaml(text, "f", "service")
    assert all(finding.origin for finding in findings)
    for tree in trees:
        plain(tree)


@given(st.text(max_size=200))
def test_no_unicode_raises(text: str) -> None:
    read_yaml(text, "f", "service")


# Text, and the beginning of the cure.
QUOTES = [
    ('a: "{{ index .X "a" }}"', '\\" for each " inside of it, or \' around it'),
    ('a: "x "y" z"', '\\" for each " inside'),
    ("a: 'it's'", "'' for each ' inside of it, or \" around it"),
    ("- '{{ ChildName .O 'x' }}'", "'' for each ' inside"),
    ('args: ["{{ a "b" }}", x]', '\\" for each " inside'),
    ('args: ["fine", "{{ a "b" }}"]', '\\" for each " inside'),
    ('a: {b: "c"\n', "well-formed YAML"),
    ("a: {{ x }} y", "the value in quotes: YAML reads {"),
    ("a: {{ x }}: y", "the value in quotes: YAML reads {"),
    ('a: "x" # b "c"\nb: c: d', "the value in quotes where it contains a colon"),
]


@pytest.mark.parametrize(("text", "cure"), QUOTES)
def test_quotes_inside_of_quotes(text: str, cure: str) -> None:
    _, findings = read(text)
    assert findings[-1].cure.startswith(cure)
