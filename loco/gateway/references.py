"""Models that a gateway's spec names: fallbacks, aliases and settings of services must each find one."""

from collections.abc import Iterable, Iterator, Sequence, Set

from loco.gateway.documents import Gateway
from loco.gateway.entries import Entry
from loco.model import Finding, ServedModel
from loco.spec.tree import Path

_LISTS = ("fallbacks", "contextWindowFallbacks", "contentPolicyFallbacks")


def unknown_models(gateway: Gateway, entries: Sequence[Entry], models: Iterable[ServedModel]) -> list[Finding]:
    """Findings about what fallbacks and aliases name.

    Names that ``services`` gives to a service which isn't there are left to ``unknown_services``.

    ``LOCO-REFERENCE`` for a model that the gateway doesn't serve, ``LOCO-VALUE`` for one that is tried after itself, and
    as a warning for one that is called for something else; ``LOCO-DUPLICATE`` for an alias that is a model's own name.
    """
    modes: dict[str, set[str]] = {}
    for entry in entries:
        modes.setdefault(entry.name, set()).add(entry.mode)
    meant = _names_of_unknown(gateway, models)
    findings = [
        _unserved(gateway, path, name, modes, "the fallback names")
        for path, name in _named(gateway)
        if name not in modes.keys() | meant
    ]
    for path, name, target in _pairs(gateway):
        if name == target:
            message, cure = f"{name} would be tried after itself", "another model"
            findings.append(gateway.finding(path, message, cure, target))
        elif name in modes and target in modes and not modes[name] & modes[target]:
            message = f"{target} is called for {_listed(modes[target])}, and {name} for {_listed(modes[name])}"
            findings.append(gateway.finding(path, message, "a model of the same mode", target, severity="warning"))
    return findings + _aliases(gateway, modes, meant)


def unknown_services(gateway: Gateway, models: Iterable[ServedModel]) -> list[Finding]:
    """``LOCO-REFERENCE`` for settings of a service that the gateway doesn't serve."""
    known, near = _services(gateway, models)
    findings = []
    for key in gateway.spec.services or {}:
        if key not in known | near:
            message = f"the gateway serves no LLMInferenceService {key}"
            cure = f"one of {_listed(near | known) or 'its services, of which there are none'}"
            findings.append(gateway.finding(("services", key), message, cure, key, code="LOCO-REFERENCE"))
        elif key in near and f"{gateway.namespace}/{key}" in (gateway.spec.services or {}):
            message = f"{key} and {gateway.namespace}/{key} are one service"
            findings.append(gateway.finding(("services", key), message, "one of the two", key, code="LOCO-DUPLICATE"))
    return findings


def _services(gateway: Gateway, models: Iterable[ServedModel]) -> tuple[set[str], set[str]]:
    """What the keys of ``services`` may be: namespace/name, and the names alone of the gateway's own namespace."""
    known = {f"{model.namespace}/{model.name}" for model in models}
    return known, {name.partition("/")[2] for name in known if name.startswith(f"{gateway.namespace}/")}


def _names_of_unknown(gateway: Gateway, models: Iterable[ServedModel]) -> set[str]:
    """The public names that settings of services give which aren't there: whoever mends the key has them."""
    known, near = _services(gateway, models)
    return {
        name
        for key, settings in (gateway.spec.services or {}).items()
        if key not in known | near
        for name in settings.names or ()
    }


def _named(gateway: Gateway) -> Iterator[tuple[Path, str]]:
    """Each model that fallbacks name, where its list names it first."""
    for field in _LISTS:
        for index, fallback in enumerate(_fallbacks(gateway, field)):
            places: dict[str, Path] = {}
            for name, targets in fallback.items():
                places.setdefault(name, (field, index, name))
                for number, target in enumerate(targets):
                    places.setdefault(target, (field, index, name, number))
            yield from ((path, name) for name, path in places.items())
    for number, target in enumerate(gateway.spec.default_fallbacks or []):
        yield ("defaultFallbacks", number), target


def _pairs(gateway: Gateway) -> Iterator[tuple[Path, str, str]]:
    for field in _LISTS:
        for index, fallback in enumerate(_fallbacks(gateway, field)):
            for name, targets in fallback.items():
                for number, target in enumerate(targets):
                    yield (field, index, name, number), name, target


def _fallbacks(gateway: Gateway, field: str) -> list[dict[str, list[str]]]:
    spec = gateway.spec
    lists = (spec.fallbacks, spec.context_window_fallbacks, spec.content_policy_fallbacks)
    return lists[_LISTS.index(field)] or []


def _aliases(gateway: Gateway, modes: dict[str, set[str]], meant: Set[str]) -> list[Finding]:
    findings = []
    for alias, target in (gateway.spec.aliases or {}).items():
        path: Path = ("aliases", alias)
        if target not in modes.keys() | meant:
            findings.append(_unserved(gateway, path, target, modes, f"the alias {alias} stands for"))
        if alias in modes:
            message = f"the gateway serves a model {alias}, which the alias would hide"
            findings.append(gateway.finding(path, message, "another alias", alias, code="LOCO-DUPLICATE"))
    return findings


def _unserved(gateway: Gateway, path: Path, name: str, known: Iterable[str], who: str) -> Finding:
    message = f"{who} {name}, which the gateway doesn't serve"
    cure = f"one of {_listed(known) or 'its models, of which there are none'}"
    return gateway.finding(path, message, cure, name, code="LOCO-REFERENCE")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
