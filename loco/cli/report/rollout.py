"""What happens to the pods of one object: which restart, start and stop, what devices that touches, and why."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loco.cli.report.cause import Cause, cause_between
from loco.cli.report.change import Change, Data, World
from loco.cli.report.normal_form import normal
from loco.cli.report.origins import Origins
from loco.cli.report.pods import NONE, Count, Devices, devices_of, group_size, makes_pods, replicas_of, surge_of
from loco.cli.report.structure import Path
from loco.cli.report.template_causes import template_causes
from loco.model import ManifestId, Origin
from loco.model.pod_templates import pod_templates

Happening = Literal["created", "deleted", "replaced", "restarted", "scaled"]
_GROUPS = ("spec.leaderWorkerTemplate", "spec.networkConfig")
_TLS = re.compile(
    r"httpGet\.scheme|--(?:ssl-|enable-ssl-refresh|secure-serving|secure-proxy|cert-path|enable-tls|enable-cert)"
)
_WITHIN = re.compile(r"\[.*|\.matchLabels.*")
_MORE_PATHS = 4


@dataclass(frozen=True, slots=True)
class Rollout:
    """One object's pods.

    Attributes:
        happening: ``replaced``: all pods go before the first new one comes; ``restarted``: they are rolled.
        was: what stood in its place, where that has another kind or name.
        restarts: pods that are there and become others.
        starts: pods more than before.
        stops: pods less than before.
        devices: what each replica takes, as it is, or as it will be where it is new.
        devices_after: as it will be; empty where it goes.
        touched: devices of the pods that restart, at least.
        replicas: before and after.
        sizes: pods of a replica, before and after; of an object that comes or goes both are alike.
        surge: replicas more than usual while it rolls.
    """

    id: ManifestId
    owner: str | None
    happening: Happening
    restarts: Count
    starts: Count
    stops: Count
    devices: Devices
    devices_after: Devices
    touched: Devices
    replicas: tuple[Count, Count]
    sizes: tuple[int, int] = (1, 1)
    surge: int = 0
    was: ManifestId | None = None
    causes: tuple[Cause, ...] = ()

    def surging(self) -> dict[str, int]:
        """Devices that it takes beside those while it rolls."""
        return {name: many * self.surge for name, many in self.devices_after.items() if many * self.surge}


def rollout_of(change: Change, world: World, now: Origins, then: Origins | None) -> Rollout | None:
    """What a change does to pods; None where it does nothing to any."""
    if not (makes_pods(change.before) or makes_pods(change.after)):
        return None
    counts = [
        _replicas(change.was or change.id, change.before, world.before),
        _replicas(change.id, change.after, world.after),
    ]
    sizes = [group_size(data) for data in (change.before or change.after or {}, change.after or change.before or {})]
    old = devices_of(change.before, world.before) if change.before is not None else {}
    new = devices_of(change.after, world.after) if change.after is not None else {}
    happening = _happening(change, counts)
    if happening is None:
        return None
    causes: list[Cause] = []
    if happening in ("replaced", "restarted"):
        causes = _replacement(change) + _causes(change, now, then)
    if happening in ("scaled", "replaced", "restarted") and counts[0] != counts[1] and NONE not in counts:
        found = (source.replicas(change.owner, change.id) if source else None for source in (now, then))
        causes.append(cause_between("replicas", map(str, counts), found))
    restarts, starts, stops = _moves(happening, counts, sizes)
    kept = 0 if restarts == NONE else counts[0].least if happening == "replaced" else restarts.least // sizes[0]
    surge = surge_of(change.after, counts[1].least) if happening == "restarted" and change.after is not None else 0
    return Rollout(
        change.id,
        change.owner,
        happening,
        restarts,
        starts,
        stops,
        old or new,
        new,
        {name: many * kept for name, many in old.items() if many * kept},
        (counts[0], counts[1]),
        (sizes[0], sizes[1]),
        surge,
        change.was,
        tuple(causes),
    )


def _replicas(identity: ManifestId, data: Data | None, objects: Mapping[ManifestId, Data]) -> Count:
    return replicas_of(identity, data, objects) if data is not None else NONE


def _happening(change: Change, counts: list[Count]) -> Happening | None:
    if change.operation == "create":
        return "created"
    if change.operation == "delete":
        return "deleted"
    if change.operation == "replace":
        return "replaced"
    if _template_changes(change):
        return "restarted"
    return "scaled" if counts[0].number is not None and counts[1].number not in (None, counts[0].number) else None


def _template_changes(change: Change) -> bool:
    """Whether pods become others in effect. The engine has asked the API server; two plans are compared as it would."""
    sides = [_templates(data) for data in (change.before, change.after)]
    if change.paths is None:
        return bool(normal(sides[0]) != normal(sides[1]))
    if not any(path.startswith(("spec.template.", *_GROUPS)) or path == "spec.template" for path in change.paths):
        return False
    return sides[0] == sides[1] or bool(normal(sides[0]) != normal(sides[1]))


def _templates(data: Data | None) -> list[Any]:
    spec = (data or {}).get("spec") or {}
    if "leaderWorkerTemplate" in spec:  # any part of it is a new revision
        return [spec["leaderWorkerTemplate"], spec.get("networkConfig")]
    return [template for _, template in pod_templates(data or {})]


def _moves(happening: Happening, counts: list[Count], sizes: list[int]) -> tuple[Count, Count, Count]:
    before, after = (count.times(size) for count, size in zip(counts, sizes, strict=True))
    if happening == "created":
        return NONE, after, NONE
    if happening == "deleted":
        return NONE, NONE, before
    if before.number is None or after.number is None:
        return (NONE, NONE, NONE) if happening == "scaled" else (before, NONE, NONE)
    starts, stops = max(0, after.number - before.number), max(0, before.number - after.number)
    kept = min(before.number, after.number) if happening != "scaled" else 0
    return Count(kept, kept), Count(starts, starts), Count(stops, stops)


def _replacement(change: Change) -> list[Cause]:
    if change.operation != "replace":
        return []
    if change.was is not None and change.was.kind != change.id.kind:
        return [Cause(f"{change.was.kind} becomes {change.id.kind}")]
    if not change.reasons:
        return []
    fields = dict.fromkeys(_WITHIN.sub("", reason) for reason in change.reasons)
    return [Cause(f"{', '.join(fields)} can't change, so the object is replaced", detail=True)]


def _causes(change: Change, now: Origins, then: Origins | None) -> list[Cause]:
    old, new = (list(pod_templates(data or {})) for data in (change.before, change.after))
    found: list[Cause] = []
    if len(old) != len(new):
        found.append(Cause("leader and workers apart" if len(new) > len(old) else "leader and workers alike"))
    for number, ((_, one), (_, other)) in enumerate(zip(old[-len(new) :], new[-len(old) :], strict=True)):
        finders = [
            source.template(change.owner, identity, number) if source else _nowhere
            for source, identity in ((now, change.id), (then, change.was or change.id))
        ]
        found += template_causes(one, other, finders[0], finders[1])
    found = _with_tls(found, now, then)
    if not found and change.paths:
        paths = ", ".join(change.paths[:_MORE_PATHS])
        found.append(Cause("the cluster has something else than the stack last applied", None, paths))
    return list(dict.fromkeys(found))


def _with_tls(causes: list[Cause], now: Origins, then: Origins | None) -> list[Cause]:
    """Another scheme of the probes, or flags of certificates, mean that TLS was switched; they themselves are detail."""
    follow = [cause for cause in causes if _TLS.search(cause.what)]
    if not any(cause.origin is None or cause.origin.layer.startswith(("preset:", "config")) for cause in follow):
        return causes
    on = any(cause.new not in (None, "false", "HTTP") for cause in follow)
    places = (source.config("platform", "tls") if source else None for source in (now, then))
    switch = cause_between("TLS", ("off", "on") if on else ("on", "off"), places)
    return [switch, *sorted((_as_detail(c) if c in follow else c for c in causes), key=lambda cause: cause.detail)]


def _as_detail(cause: Cause) -> Cause:
    return Cause(cause.what, cause.old, cause.new, cause.origin, cause.old_origin, detail=True)


def _nowhere(path: Path) -> Origin | None:
    return None
