"""Models of one public name, which share its requests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from loco.gateway.entries import Entry
from loco.model import Finding
from loco.spec.tree import dotted

_RATES = ("rpm", "tpm")


def by_route(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with the weights of traffic groups, which hold for the gateway too where it has none of its own.

    A member of weight 0 has no entry beside the others. Where a name is served by anything outside of the group, too,
    there is nothing that its weights are shares of.
    """
    found: list[Entry] = []
    for group in _groups(entries):
        own = any("weight" in entry.params for entry in group)
        weights = [entry.share[1] for entry in group if entry.share is not None]
        alike = len(weights) == len(group) > 1 and len({entry.share[0] for entry in group if entry.share}) == 1
        if own or not alike or not any(weights):
            found += group
            continue
        taking = [(entry, weight) for entry, weight in zip(group, weights, strict=True) if weight]
        alone = len(taking) == 1
        found += [
            entry if alone else replace(entry, params={**entry.params, "weight": weight}) for entry, weight in taking
        ]
    return found


def shares(entries: Sequence[Entry]) -> Mapping[str, int]:
    """Weights that the config must have beyond those that are written, by the entry's identity.

    Without weights LiteLLM takes rate limits for shares, and a member without a limit would get no request at all.
    """
    found: dict[str, int] = {}
    for group in _groups(entries):
        limited = [entry for entry in group if entry.params.keys() & set(_RATES)]
        if 0 < len(limited) < len(group) and not any("weight" in entry.params for entry in group):
            found |= {entry.identity: 1 for entry in group}
    return found


def uneven_weights(entries: Sequence[Entry]) -> list[Finding]:
    """``LOCO-VALUE`` for a model with a weight among others of its name that have none: they would get no request."""
    findings = []
    for group in _groups(entries):
        weighted = [entry for entry in group if "weight" in entry.params]
        if len(weighted) in (0, len(group)):
            continue
        without = sorted({_model(entry) for entry in group} - {_model(entry) for entry in weighted})
        for entry in weighted:
            path = (*entry.path, "weight")
            message = f"{', '.join(without)} shares the name {entry.name} without a weight, and would get no request"
            cure = "a weight for each model of the name, or for none"
            origin, where = entry.document.origin_at(*path), dotted(("spec", *path))
            found = Finding(
                "LOCO-VALUE",
                "error",
                where,
                message,
                cure,
                origin,
                entry.document.subject,
                entry.settings.weight,
            )
            if found not in findings:
                findings.append(found)
    return findings


def _groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    return [list(group) for _, group in groupby(entries, key=lambda entry: entry.name)]


def _model(entry: Entry) -> str:
    return "/".join(entry.identity.split("/")[:3])
