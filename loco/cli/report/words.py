"""Sentences that every form of a report has: how many pods, which devices, where a value was written."""

from collections.abc import Iterable, Mapping

from loco.cli.report.cause import Cause
from loco.cli.report.pods import Count
from loco.cli.report.rename import Renamed
from loco.cli.report.report import Part, Report, Total
from loco.cli.report.rollout import Rollout
from loco.model import Finding

_GPU = "nvidia.com/gpu"
_HEADLINES = 3
NO_EFFECT = "nothing in the cluster changes"


def counted(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def devices(found: Mapping[str, int]) -> str:
    """Such as ``8 GPUs``; devices of several names each by name."""
    if not found:
        return "no GPUs"
    if set(found) == {_GPU}:
        return counted(found[_GPU], "GPU")
    return ", ".join(f"{many} {name}" for name, many in found.items())


def replicas_of(number: int | None, size: int, taken: Mapping[str, int]) -> str:
    """Such as ``2 pods × 1 GPU``, ``2 groups of 4 pods × 8 GPUs``, or ``all pods × 1 GPU``."""
    noun = "group" if size > 1 else "pod"
    of = f" of {size} pods" if size > 1 else ""
    many = f"all {noun}s" if number is None else counted(number, noun)
    return f"{many}{of}" + (f" × {devices(taken)}" if taken else "")


def movements(rollout: Rollout) -> list[str]:
    """What its pods do, each in a few words."""
    if rollout.happening == "replaced":
        return [_replaced(rollout)]
    size = rollout.sizes[0]
    moves = (
        (rollout.restarts, "restart", rollout.devices),
        (rollout.starts, "start", rollout.devices_after),
        (rollout.stops, "stop", rollout.devices),
    )
    found = []
    for count, verb, taken in moves:
        if count.number != 0:
            replicas = None if count.number is None else count.number // size
            found.append(f"{replicas_of(replicas, size, taken)} {_verb(verb, replicas)}{_bounds(count)}")
    return found


def _replaced(rollout: Rollout) -> str:
    before, after = (count.number for count in rollout.replicas)
    goes = f"{replicas_of(before, rollout.sizes[0], rollout.devices)} {'goes' if before == 1 else 'go'}"
    alike = (before, rollout.sizes[0], rollout.devices) == (after, rollout.sizes[1], rollout.devices_after)
    if alike and before is not None:
        return f"{goes}, then {'one starts' if before == 1 else 'as many start'}{_bounds(rollout.restarts)}"
    return f"{goes}, then {replicas_of(after, rollout.sizes[1], rollout.devices_after)} {_verb('start', after)}"


def _verb(verb: str, number: int | None) -> str:
    return f"{verb}s" if number == 1 else verb


def _bounds(count: Count) -> str:
    if count.number is not None:
        return ""
    if not count.known:
        return f" ({count.least}, or as many as there are)"
    return f" ({count.least} to {'any number' if count.most is None else count.most})"


def headline(report: Report) -> str:
    """One line: how many models, how many pods, how many devices."""
    if report.failed:
        return "the preview failed"
    if report.totals is None:
        errors = sum(finding.severity == "error" for finding in report.findings)
        return f"no report: {counted(errors, 'error')}" if errors else "no report: nothing to compare with"
    if not report.parts and not report.config:
        return "nothing changes"
    if report.parts and not any(part.acts for part in report.parts):
        return NO_EFFECT
    models = [part for part in report.parts if part.kind and part.acts]
    verbs = (("added", "added"), ("changed", "changed"), ("replaced", "replaced"), ("deleted", "deleted"))
    counts = [(sum(part.change == change for part in models), word) for change, word in verbs]
    whats = [f"{number} {word}" for number, word in counts if number]
    words = [f"{', '.join(whats)}" if whats else "no model changes"]
    restarting = [rollout.restarts for rollout in report.rollouts]
    number = sum(count.least for count in restarting)
    at_least = "at least " if any(count.number is None for count in restarting) else ""
    if any(count.number != 0 for count in restarting):
        touched = f" ({devices(report.touched)})" if report.touched else ""
        words.append(
            f"{at_least}{counted(number, 'pod')} restart{'s' if number == 1 and not at_least else ''}{touched}"
        )
    else:
        words.append("no pod restarts")
    for verb, moved in (("start", [r.starts for r in report.rollouts]), ("stop", [r.stops for r in report.rollouts])):
        if any(count.number != 0 for count in moved):
            number = sum(count.least for count in moved)
            words.append(f"{number} {verb}{'s' if number == 1 else ''}")
    return "; ".join(words)


def need(report: Report) -> list[str]:
    """What the change needs of the cluster, one sentence each."""
    found = []
    for name, total in (report.totals or {}).items():
        called = "GPUs" if name == _GPU else name
        least = " at least, since something else scales some of the pods" if total.least else ""
        found.append(f"{called} of the stack: {_moved(total)}{least}")
    surge = report.surge
    if surge:
        needed = sum(surge.values())
        more = f"while everything rolls at once: {devices(surge)} more"
        if report.spare is not None:
            covers = "covers that" if report.spare >= needed else "doesn't cover that, so a roll may wait for GPUs"
            more += f"; platform.spareGpus is {report.spare}, which {covers}"
        found.append(more)
    return found


def _moved(total: Total) -> str:
    if total.before == total.after:
        return f"{total.after}, as before"
    return f"{total.before} before, {total.after} after ({total.after - total.before:+d})"


def change_of(cause: Cause) -> str:
    """The values: ``a → b``, ``b`` where there was none, nothing where none is shown."""
    if cause.old is None and cause.new is None:
        return ""
    if cause.old is None:
        return f"(none) → {cause.new}"
    return f"{cause.old} → {'(none)' if cause.new is None else cause.new}"


def place_of(cause: Cause) -> str:
    """Who sets it now, and who did."""
    now = str(cause.origin) if cause.origin else ""
    if cause.old_origin is None or cause.old_origin == cause.origin:
        return now
    return f"{now}; was {cause.old_origin}" if now else f"was {cause.old_origin}"


def main_causes(causes: Iterable[Cause]) -> tuple[list[Cause], int]:
    """The ones for a summary, and how many more there are."""
    listed = list(causes)
    shown = [cause for cause in listed if not cause.detail][:_HEADLINES] or listed[:1]
    return shown, len(listed) - len(shown)


def why_in_part(part: Part, rollout: Rollout) -> tuple[Cause, ...]:
    """Why its pods restart; with a base, where loco derives all of it, what was written."""
    if rollout.causes and all(cause.detail for cause in rollout.causes) and part.written:
        return (*part.written, *rollout.causes)
    return rollout.causes


def placed(part: Part) -> str:
    """Where a document stands, or stood."""
    return "" if part.origin is None else f"was {part.origin}" if part.change == "deleted" else str(part.origin)


def verdict(findings: Iterable[Finding]) -> str:
    """How many errors and warnings."""
    listed = list(findings)
    errors = sum(finding.severity == "error" for finding in listed)
    return f"{counted(errors, 'error')}, {counted(len(listed) - errors, 'warning')}"


def renaming(pair: Renamed) -> str:
    """What a rename does, and how to do without."""
    return (
        f"{pair.old} goes and {pair.new}, which is like it, comes: where that is a rename, all pods of the one stop and "
        "those of the other start; under the old name they would stay"
    )
