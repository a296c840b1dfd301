"""A report for a terminal."""

from collections.abc import Iterator

from loco.cli.report.cause import Cause
from loco.cli.report.report import Report
from loco.cli.report.words import NO_EFFECT, change_of, headline, movements, need, place_of, placed, renaming, verdict
from loco.model.finding import visible

_SIGNS = {"added": "+", "changed": "~", "replaced": "±", "deleted": "-"}


def as_text(report: Report) -> str:
    """Several lines, the summary first."""
    return "\n".join(map(visible, _lines(report)))


def _lines(report: Report) -> Iterator[str]:
    source = "the engine's preview" if report.by_engine else "the files"
    against = f", compared with {report.base}" if report.base else ""
    yield f"{report.stack}: {headline(report)}"
    yield f"  (told by {source}{against})"
    for failure in report.failed:
        yield from ("", "the engine says:", *(f"  {line}" for line in failure.strip().splitlines()))
    for part in report.parts:
        where = placed(part)
        yield ""
        yield f"{_SIGNS[part.change]} {part.subject} {part.change}" + (f"  {where}" if where else "")
        if not part.acts:
            yield f"    {NO_EFFECT}"
        for rollout in part.rollouts:
            was = f" in place of the {rollout.was.kind} {rollout.was.name}" if rollout.was else ""
            yield f"    {rollout.id.kind} {rollout.id.name}{was}: {'; '.join(movements(rollout)) or 'no pods'}"
            yield from (f"        {line}" for line in _causes(rollout.causes))
        yield from (f"    {line}" for line in _causes(part.causes))
        yield from (f"    {line}" for line in part.others)
        if part.written:
            yield "    written otherwise than in the base:"
            yield from (f"        {line}" for line in _causes(part.written))
    for pair in report.renamed:
        yield ""
        yield renaming(pair)
    if report.config:
        yield from (
            "",
            "stack config, otherwise than in the base:",
            *(f"    {line}" for line in _causes(report.config)),
        )
    if needs := need(report):
        yield from ("", *needs)
    if report.notes:
        yield from ("", *(f"note: {note}" for note in report.notes))
    if report.findings:
        yield ""
        for finding in sorted(report.findings, key=lambda finding: finding.severity):
            yield from (*str(finding).splitlines(), "")
        yield verdict(report.findings)


def _causes(causes: tuple[Cause, ...]) -> Iterator[str]:
    for cause in causes:
        change, place = change_of(cause), place_of(cause)
        yield cause.what + (f": {change}" if change else "") + (f"  [{place}]" if place else "")
