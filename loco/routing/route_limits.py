"""What the Gateway API allows in one HTTPRoute: how many rules, matches and backends, and which paths."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

MATCHES_OF_A_RULE, MATCHES_OF_A_ROUTE, RULES_OF_A_ROUTE, BACKENDS_OF_A_RULE = 64, 128, 16, 16
LONGEST_HEADER = 4096
_PATH = re.compile(r"/(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})*")
_FORBIDDEN = re.compile(r"//|/\.\.?/|/\.\.?$|%2f", re.IGNORECASE)
_LONGEST_PATH = 1024

Rule = dict[str, Any]


def fits(rules: Iterable[Rule]) -> bool:
    """Whether one route may hold these rules."""
    rules = list(rules)
    return (
        len(rules) <= RULES_OF_A_ROUTE
        and all(_matches(rule) <= MATCHES_OF_A_RULE for rule in rules)
        and sum(map(_matches, rules)) <= MATCHES_OF_A_ROUTE
    )


def within_a_rule(rules: Iterable[Rule]) -> list[Rule]:
    """The same rules, one with too many matches as several that differ in their matches alone.

    A rule that replaces a prefix may have a single match, since it must be clear which prefix that is.
    """
    rules = list(rules)
    taken = {rule.get("name") for rule in rules}
    return [part for rule in rules for part in _parts(rule, taken)]


def is_path(text: str) -> bool:
    """Whether an API server takes this as the path of a match of type Exact or PathPrefix."""
    return len(text) <= _LONGEST_PATH and _PATH.fullmatch(text) is not None and _FORBIDDEN.search(text) is None


def replaces_prefix(rule: Rule) -> bool:
    """Whether the rule rewrites or redirects what its match's prefix has matched."""
    filters = as_list(rule.get("filters"))
    for backend in rule.get("backendRefs") or []:
        filters += as_list(backend.get("filters"))
    changes = [
        as_mapping(as_mapping(entry).get(kind)) for entry in filters for kind in ("urlRewrite", "requestRedirect")
    ]
    return any(as_mapping(change.get("path")).get("type") == "ReplacePrefixMatch" for change in changes)


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one: much of a user's rules is for the API server to judge."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return list(value) if isinstance(value, list) else []


def _parts(rule: Rule, taken: set[Any]) -> Iterator[Rule]:
    """The parts of a rule; each has a name that no other rule of the route has, if the rule has one."""
    matches = rule.get("matches") or []
    most = 1 if replaces_prefix(rule) else MATCHES_OF_A_RULE
    if len(matches) <= most:
        yield rule
        return
    for number, start in enumerate(range(0, len(matches), most), 1):
        name = {"name": _free_name(rule["name"], number, taken)} if number > 1 and rule.get("name") else {}
        yield {**rule, **name, "matches": matches[start : start + most]}


def _free_name(name: str, number: int, taken: set[Any]) -> str:
    found = next(text for n in count(number) if (text := f"{name}-{n}") not in taken)
    taken.add(found)
    return found


def _matches(rule: Rule) -> int:
    return len(rule.get("matches") or []) or 1  # without any it has one, which matches everything
