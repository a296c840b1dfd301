"""A preset's slip of the pen neither hangs loco nor takes all memory, and useful text is made all the same."""

import time

import pytest

from tests.layers.test_template import expanded

LONG = "{% set a = 'a' * 1000000 %}"
TOO_LONG, TOO_MANY = "more than 1048576 characters", "more than 10000 steps"

BOMBS = {
    "% on text": ("{{ '%999999999d' % 1 }}", "% on text"),
    "format as filter": ("{{ '%999999999d'|format(1) }}", "No filter named 'format'"),
    "format as method": ("{{ '{:>999999999}'.format(1) }}", "'format' of 'str' object is unsafe"),
    "format_map": ("{{ '{a:>999999999}'.format_map(gateway) }}", "'format_map' of 'str' object is unsafe"),
    "format by map": ("{{ ['%999999999d']|map('format', 1)|list }}", "No filter named 'format'"),
    **{
        f"str.{method}": (f"{{{{ name.{method}(10**9) }}}}", f"'{method}' of 'str' object is unsafe")
        for method in ("center", "ljust", "rjust", "zfill", "expandtabs", "translate")
    },
    "by another way": ("{{ name['rjust'](10**9) }}", "'rjust' of 'str' object is unsafe"),
    **{
        f"filter {name}": (f"{{{{ name|{name}(10**9) }}}}", f"No filter named '{name}'")
        for name in ("center", "indent", "batch", "slice", "wordwrap", "attr", "urlize", "sum")
    },
    "tojson with indent": ("{{ gateway|tojson(indent=10**9) }}", "unexpected keyword argument 'indent'"),
    "loops without output": (
        "{% set l = [1] * 1000 %}" + "{% for a in l %}" * 4 + "{% endfor %}" * 4,
        TOO_MANY,
    ),
    "calls without output": (
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(50) }}",
        TOO_MANY,
    ),
    "a recursive loop": ("{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}", "recursive loops"),
    "doubling with ~": (LONG + "{% set a = a ~ a %}" * 40, TOO_LONG),
    "doubling with +": (LONG + "{% set a = a + a %}" * 40, TOO_LONG),
    "doubling in a block": (LONG + "{% set a %}{{ a }}{{ a }}{% endset %}" * 40, TOO_LONG),
    "replace": (LONG + "{{ a|replace('a', a) }}", TOO_LONG),
    "str.replace": (LONG + "{{ a.replace('a', a) }}", TOO_LONG),
    "join": (LONG + "{{ a|join(a) }}", TOO_LONG),
    "str.join": (LONG + "{{ a.join(a) }}", TOO_LONG),
    "one text often": (LONG + "{{ [a] * 1000000 }}", TOO_LONG),
    "one text often, as text": (LONG + "{{ ([a] * 1000000)|string }}", TOO_LONG),
    "one text often, as JSON": (LONG + "{{ ([a] * 1000000)|tojson }}", TOO_LONG),
    "one text often, mapped": (LONG + "{{ ([a] * 1000000)|map('upper')|list|length }}", TOO_LONG),
}


@pytest.mark.parametrize(("text", "reason"), BOMBS.values(), ids=BOMBS)
def test_bombs(text: str, reason: str) -> None:
    before = time.process_time()
    _, [finding] = expanded(text)
    assert reason in finding.message
    assert time.process_time() - before < 5, "seconds"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ 'a' ~ 1 ~ name }}", "a1chat"),
        ("{{ 'a' + name }}", "achat"),
        ("{{ 7 % 4 }} {{ 2**10 }} {{ 'ab' * 2 }} {{ [1] + [2] }}", "3 1024 abab [1, 2]"),
        ("{{ [1, 2]|join(',') }} {{ '-'.join(['a', 'b']) }}", "1,2 a-b"),
        ("{{ [gateway]|join(',', attribute='name') }}", "shared"),
        ("{{ 'a-b-c'|replace('-', '_') }} {{ 'a-b-c'.replace('-', '_', 1) }}", "a_b_c a_b-c"),
        ("{{ {'b': '<x>', 'a': 1}|tojson }}", '{"a": 1, "b": "\\u003cx\\u003e"}'),
        ("{{ [1, 2]|string }} {{ ['a']|map('upper')|list }}", "[1, 2] ['A']"),
        ("{% for n in 'abc' %}{{ loop.index }}{{ n }}{% endfor %}", "1a2b3c"),
        ("{% for n in 'abcd' if n != 'b' %}{{ n }}{% else %}none{% endfor %}", "acd"),
    ],
)
def test_what_remains(text: str, expected: str) -> None:
    assert expanded(text) == (expected, [])
