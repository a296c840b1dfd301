"""LoRA adapters in a service's routes: reached by the model's header, each under its own name."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.routing.route_limits import Rule, fits, within_a_rule

MAIN = 0
_MOST_BUCKETS = 1 << 16  # far beyond any number of adapters; an end for two names of one hash


def with_adapters(rules: Sequence[Rule], resolved: Resolved) -> dict[int, list[Rule]]:
    """The rules of the service's routes by number; that of ``MAIN`` has all the rules given.

    What matches by the model's header matches by each adapter's too. Where one route can't hold so many matches, the
    adapters' stand in further routes: an adapter's name decides by its hash which, so that others may come and go and
    it stays where it is. When the number of routes grows it doubles, and an adapter then moves to a higher number, if
    at all; who creates higher numbers before changing lower ones leaves no adapter without a route in between.
    """
    adapters = resolved.adapter_names
    whole = within_a_rule(_copied(rule, adapters, resolved, own=True) for rule in rules)
    if not adapters or fits(whole):
        return {MAIN: whole}
    count = 1
    while not all(fits(_further(rules, bucket, resolved)) for bucket in _buckets(adapters, count).values()):
        count *= 2
        if count > _MOST_BUCKETS:
            break
    further = {
        MAIN + 1 + number: _further(rules, bucket, resolved)
        for number, bucket in sorted(_buckets(adapters, count).items())
    }
    return {MAIN: within_a_rule(rules), **{number: found for number, found in further.items() if found}}


def is_model_header(header: dict[str, Any]) -> bool:
    """Whether a match's header is the one that names the model; headers have no case."""
    return str(header.get("name", "")).lower() == names.ROUTING_HEADER.lower()


def _buckets(adapters: Sequence[str], count: int) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for adapter in adapters:
        digest = hashlib.sha256(adapter.encode()).digest()
        found.setdefault(int.from_bytes(digest[:8], "big") % count, []).append(adapter)
    return found


def _further(rules: Sequence[Rule], adapters: Sequence[str], resolved: Resolved) -> list[Rule]:
    copies = (_copied(rule, adapters, resolved, own=False) for rule in rules)
    return within_a_rule(rule for rule in copies if rule.get("matches"))


def _copied(rule: Rule, adapters: Sequence[str], resolved: Resolved, own: bool) -> Rule:
    """The rule with the adapters' matches after its own, or without its own."""
    matches = rule.get("matches") or []
    copies = list(_copies(matches, adapters, resolved))
    if own and not copies:
        return rule
    return {**rule, "matches": [*(matches if own else ()), *copies]}


def _copies(matches: Sequence[dict[str, Any]], adapters: Sequence[str], resolved: Resolved) -> Iterator[dict[str, Any]]:
    for match in matches:
        headers = match.get("headers") or []
        if any(map(is_model_header, headers)):
            for adapter in adapters:
                yield {**match, "headers": [_naming(adapter, header, resolved) for header in headers]}


def _naming(adapter: str, header: dict[str, Any], resolved: Resolved) -> dict[str, Any]:
    if not is_model_header(header):
        return dict(header)
    return {**header, "value": names.publisher_name(resolved.namespace, adapter)}
