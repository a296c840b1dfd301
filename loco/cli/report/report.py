"""A report: per model what happens, which pods restart and why, and what that needs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from loco.cli.diff.documents import Side
from loco.cli.report.cause import Cause, cause_between
from loco.cli.report.change import Change, World
from loco.cli.report.gateway_config import EntryChange, config_changes
from loco.cli.report.origins import Origins
from loco.cli.report.other import is_cosmetic, other_change
from loco.cli.report.pods import Devices, devices_of, makes_pods, replicas_of
from loco.cli.report.rename import Renamed, renamed
from loco.cli.report.rollout import Rollout, rollout_of
from loco.cli.report.written import Written
from loco.layers.bases import version_of
from loco.model import Finding, Origin
from loco.spec import EXTERNAL_MODEL, GATEWAY, SERVICE

Kind = Literal["added", "changed", "replaced", "deleted"]
STACK = "the stack"
_ORDER: dict[str, int] = {SERVICE: 0, EXTERNAL_MODEL: 1, GATEWAY: 2}


@dataclass(frozen=True, slots=True)
class Part:
    """What happens to one document.

    Attributes:
        subject: ``Kind/namespace/name``, or ``the stack`` for what belongs to no document.
        causes: of a change that isn't about pods of its own, such as a model that a gateway serves.
        others: objects without pods that change, one line each.
        written: values of its merged spec that are others than in the base.
    """

    subject: str
    change: Kind
    rollouts: tuple[Rollout, ...] = ()
    causes: tuple[Cause, ...] = ()
    others: tuple[str, ...] = ()
    written: tuple[Cause, ...] = ()
    origin: Origin | None = None

    @property
    def name(self) -> str:
        """As it is called among the others."""
        return self.subject.partition("/")[2] or self.subject

    @property
    def kind(self) -> str:
        return self.subject.partition("/")[0] if "/" in self.subject else ""

    @property
    def acts(self) -> bool:
        """Whether anything in the cluster changes; the files may say otherwise what holds all the same."""
        return self.change != "changed" or bool(self.rollouts or self.causes or self.others)


@dataclass(frozen=True, slots=True)
class Total:
    """Devices of one name in the whole stack; ``least`` where something else scales some of the pods."""

    before: int
    after: int
    least: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What a change does.

    Attributes:
        stack: the stack's name.
        base: the revision that is compared with; None without one.
        by_engine: whether the engine's preview says what happens.
        totals: devices by the resource's name; None where there is no report, empty where they aren't known.
        spare: ``platform.spareGpus``; None where the config isn't loco's.
        notes: what limits the report: what isn't known, what failed.
        config: values of the stack's config that are others than in the base.
        renamed: documents that go, each with one that comes and is like it.
        findings: of the plan.
        failed: why there is no full report: the engine's errors.
    """

    stack: str
    base: str | None = None
    by_engine: bool = False
    parts: tuple[Part, ...] = ()
    totals: Mapping[str, Total] | None = None
    spare: int | None = 0
    notes: tuple[str, ...] = ()
    config: tuple[Cause, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    findings: tuple[Finding, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def rollouts(self) -> tuple[Rollout, ...]:
        """Of all parts."""
        return tuple(rollout for part in self.parts for rollout in part.rollouts)

    @property
    def touched(self) -> dict[str, int]:
        """Devices of the pods that restart, by name."""
        return _sum(rollout.touched for rollout in self.rollouts)

    @property
    def surge(self) -> dict[str, int]:
        """Devices beside those while everything rolls at once."""
        return _sum(rollout.surging() for rollout in self.rollouts)


def parts_of(world: World, now: Side, then: Side | None, written: Written) -> tuple[Part, ...]:
    """Every document that something happens to: services first, then models elsewhere, gateways, the stack's own."""
    places, earlier = Origins(now.stack, now.plan), Origins(then.stack, then.plan) if then else None
    rollouts: dict[str, list[Rollout]] = {}
    others: dict[str, list[str]] = {}
    causes: dict[str, list[Cause]] = {}
    entries: list[EntryChange] = []
    for change in world.changes:
        owner = change.owner or STACK
        if change.id.kind == "ConfigMap" and change.before and change.after and _is_config(change):
            found, settings = config_changes(change.before, change.after, owner, places, earlier)
            entries += found
            causes.setdefault(owner, []).extend([*(c for entry in found for c in entry.causes), *settings])
            continue
        rollout = rollout_of(change, world, places, earlier)
        if rollout is not None:
            rollouts.setdefault(owner, []).append(_with_keys(rollout, world))
        elif not is_cosmetic(change):
            others.setdefault(owner, []).append(other_change(change))
    for subject, config_causes in causes.items():  # they are why the gateway's pods restart
        rollouts[subject] = [_with_config(rollout, config_causes) for rollout in rollouts.get(subject, [])]
    if then is not None and (presets := _presets(now, then, places, earlier)) is not None:
        rollouts = {subject: [_with_presets(r, presets) for r in found] for subject, found in rollouts.items()}
    rollouts = {
        subject: [_with_rotation(rollout, places, then, written) for rollout in found]
        for subject, found in rollouts.items()
    }
    models = {entry.model: entry for entry in entries if (entry.model or "").startswith(f"{EXTERNAL_MODEL}/")}
    subjects = {*rollouts, *others, *causes, *written.subjects, *world.added, *world.deleted, *filter(None, models)}
    parts = []
    for subject in sorted(
        subjects, key=lambda subject: (_ORDER.get(subject.partition("/")[0], 3 if "/" in subject else 4), subject)
    ):
        entry = models.get(subject)
        rolled = tuple(rollouts.get(subject, ()))
        own = entry.causes if entry else tuple(causes.get(subject, ())) if not rolled else ()
        kind = _kind(subject, world, entry, written, rolled)
        values = tuple(_not_told(written.of(subject), rolled)) if kind in ("changed", "replaced") else ()
        origin = places.document(subject) or (earlier.document(subject) if earlier else None)
        parts.append(Part(subject, kind, rolled, own, tuple(others.get(subject, ())), values, origin))
    return tuple(parts)


def totals_of(world: World) -> dict[str, Total]:
    """Devices of the whole stack, before and after."""
    sides: list[Counter[str]] = []
    least: set[str] = set()
    for objects in (world.before, world.after):
        taken: Counter[str] = Counter()
        for identity, data in objects.items():
            if makes_pods(data):
                replicas = replicas_of(identity, data, objects)
                for name, many in devices_of(data, objects).items():
                    taken[name] += many * replicas.least
                    least |= {name} if replicas.number is None else set()
        sides.append(taken)
    before, after = sides
    return {name: Total(before[name], after[name], name in least) for name in sorted({*before, *after})}


def renamed_documents(parts: Iterable[Part], world: World) -> tuple[Renamed, ...]:
    """Documents that may have been renamed, which deletes the pods of the one and starts those of the other."""
    listed = list(parts)
    return renamed(
        [part.subject for part in listed if part.change == "deleted"],
        [part.subject for part in listed if part.change == "added"],
        world,
    )


def _not_told(written: Iterable[Cause], rollouts: Iterable[Rollout]) -> Iterator[Cause]:
    """Values that stand in no cause yet."""
    told = {(cause.old, cause.new, cause.origin) for rollout in rollouts for cause in rollout.causes}
    return (cause for cause in written if (cause.old, cause.new, cause.origin) not in told)


def _is_config(change: Change) -> bool:
    """Whether it is the config of a gateway, of which each content is an object of its own."""
    return (change.owner or "").startswith(f"{GATEWAY}/") and change.operation == "replace"


def _presets(now: Side, then: Side, places: Origins, earlier: Origins | None) -> Cause | None:
    """Another version or folder of presets."""
    texts = []
    for side in (then, now):
        folder = side.stack.config.presets.folder
        texts.append(f"version {version_of(side.stack)}" + (f" and the folder {folder}" if folder else ""))
    found = (source.config("presets") if source else None for source in (places, earlier))
    return cause_between("presets", texts, found) if texts[0] != texts[1] else None


def _with_presets(rollout: Rollout, presets: Cause) -> Rollout:
    """Says so of pods on which a preset has a say."""
    layers = [o.layer for cause in rollout.causes for o in (cause.origin, cause.old_origin) if o is not None]
    return replace(rollout, causes=(presets, *rollout.causes)) if any(map(_of_preset, layers)) else rollout


def _of_preset(layer: str) -> bool:
    return layer.startswith(("preset:", "config:"))


def _with_keys(rollout: Rollout, world: World) -> Rollout:
    """Says which keys of a Secret have another value, where the engine does."""
    keys = {
        f"credential {change.id.name}": ", ".join(path.partition(".")[2] for path in change.paths or ())
        for change in world.changes
        if (change.id.kind, change.id.namespace, change.operation) == ("Secret", rollout.id.namespace, "update")
    }
    found = (replace(c, what=f"{c.what} (key {keys[c.what]})") if keys.get(c.what) else c for c in rollout.causes)
    return replace(rollout, causes=tuple(found))


def _with_rotation(rollout: Rollout, places: Origins, then: Side | None, written: Written) -> Rollout:
    """Where a key or certificate is made anew because the config says so, that is the place."""
    config = {cause.what: cause for cause in written.config}
    causes = []
    for cause in rollout.causes:
        field = places.rotation(rollout.owner, cause.what)
        if field is not None and (found := config.get(f"rotation.{field}")) is not None:
            cause = replace(found, what=cause.what)
        elif field is not None and then is None and (origin := places.config("rotation", field)) is not None:
            cause = replace(cause, origin=origin)
        causes.append(cause)
    return replace(rollout, causes=tuple(causes))


def _with_config(rollout: Rollout, config: list[Cause]) -> Rollout:
    if not any(cause.what == "config of the gateway" for cause in rollout.causes):
        return rollout
    kept = [cause for cause in rollout.causes if cause.what != "config of the gateway"]
    return replace(rollout, causes=(*config, *kept))


def _kind(
    subject: str, world: World, entry: EntryChange | None, written: Written, rollouts: tuple[Rollout, ...]
) -> Kind:
    if subject in world.added or subject in written.added:
        return "added"
    if subject in world.deleted or subject in written.deleted:
        return "deleted"
    if entry is not None and entry.change in ("added", "deleted"):
        return "added" if entry.change == "added" else "deleted"
    return "replaced" if any(rollout.happening == "replaced" for rollout in rollouts) else "changed"


def _sum(devices: Iterable[Devices]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in devices:
        total.update(each)
    return {name: many for name, many in sorted(total.items()) if many}
