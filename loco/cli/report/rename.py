"""A document that goes beside one that comes and is like it: mostly somebody has renamed it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from loco.cli.report.change import World
from loco.model.pod_templates import pod_templates


@dataclass(frozen=True, slots=True)
class Renamed:
    """``old`` and ``new`` are alike, ``Kind/namespace/name`` each."""

    old: str
    new: str


def renamed(deleted: Sequence[str], added: Sequence[str], world: World) -> tuple[Renamed, ...]:
    """Pairs of one kind whose pods have the same containers, images and resources. Each document is in one pair."""
    likenesses = {subject: _likeness(subject, world) for subject in (*deleted, *added)}
    free = list(added)
    pairs = []
    for old in deleted:
        for new in free:
            same_kind = old.partition("/")[0] == new.partition("/")[0]
            if same_kind and likenesses[old] and likenesses[old] == likenesses[new]:
                pairs.append(Renamed(old, new))
                free.remove(new)
                break
    return tuple(pairs)


def _likeness(subject: str, world: World) -> frozenset[str]:
    """What its engines are made of; names of the document itself are left out."""
    found = set()
    for change in world.changes:
        if change.owner == subject:
            for _, template in pod_templates(change.after or change.before or {}):
                for container in (template.get("spec") or {}).get("containers") or []:
                    if container.get("name") in ("main", "litellm"):
                        found.add(json.dumps([container.get("image"), container.get("resources")], sort_keys=True))
    return frozenset(found)
