"""Below which paths a route answers as an OpenAI-compatible server, read from its rules as a Gateway would."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from loco.routing.adapter_routes import is_model_header
from loco.routing.route_limits import Rule, as_list, as_mapping

_CALLS = "/v1"


@dataclass(frozen=True, slots=True, order=True)
class BasePath:
    """``<path>/v1/…`` reaches a model: by the path alone, or with the header that names it. ``path`` may be empty."""

    path: str
    by_header: bool = False


def base_paths(rules: Iterable[Rule]) -> list[BasePath]:
    """Sorted, each once; matches with conditions that only their author knows are left out."""
    found = {base for rule in rules for base in _of_rule(rule)}
    return sorted(found)


def _of_rule(rule: Rule) -> Iterator[BasePath]:
    filters = [as_mapping(entry) for entry in as_list(rule.get("filters"))]
    if not rule.get("backendRefs") or any("requestRedirect" in entry for entry in filters):
        return
    rewrites = [as_mapping(as_mapping(entry.get("urlRewrite")).get("path")) for entry in filters]
    rewrite: Any = next((change for change in rewrites if change), None)
    if rewrite is not None and rewrite.get("type") != "ReplacePrefixMatch":
        return
    for match in rule.get("matches") or [{}]:
        path = as_mapping(match.get("path"))
        value = path.get("value", "/")
        headers = match.get("headers") or []
        others = [
            header for header in headers if not is_model_header(header) or header.get("type") not in (None, "Exact")
        ]
        if others or match.get("method") or match.get("queryParams") or not isinstance(value, str):
            continue
        base = _base(path.get("type") or "PathPrefix", value, rewrite)
        if base is not None:
            yield BasePath(base, bool(headers))


def _base(kind: str, value: str, rewrite: Any) -> str | None:
    """What stands before ``/v1`` in the requests that a match takes, None where engines wouldn't know their paths."""
    value = value.rstrip("/")
    if rewrite is None:
        whole = value == "" and kind == "PathPrefix"
        return "" if whole or value == _CALLS or value.startswith(f"{_CALLS}/") else None
    becomes = str(rewrite.get("replacePrefixMatch", "")).rstrip("/")
    if kind != "PathPrefix" or not value.endswith(becomes) or not (becomes == "" or becomes.startswith(_CALLS)):
        return None
    return value.removesuffix(becomes)
