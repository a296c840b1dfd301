"""A report as Markdown, for a pull request."""

import html
import re
from collections.abc import Iterable, Iterator

from loco.cli.report.cause import Cause
from loco.cli.report.report import Part, Report
from loco.cli.report.words import (
    NO_EFFECT,
    change_of,
    headline,
    main_causes,
    movements,
    need,
    place_of,
    placed,
    renaming,
    verdict,
    why_in_part,
)
from loco.spec import EXTERNAL_MODEL

LONGEST_COMMENT = 65_536  # characters that GitHub takes
_LONGEST_FAILURE = 10_000
_OTHERS = 3  # objects that a row names
_ROOM = 1_500  # for the note and what it can't be counted in
_CUT = "\n\n_The report is cut here: a comment holds no more. `loco report` prints all of it._\n"
_NOUNS = ("flag", "credential", "label", "mount", "volume")
_TICKS = re.compile("`+")


def as_markdown(report: Report) -> str:
    """The whole report."""
    return _joined(_summary(report), _details(report))


def as_comment(report: Report) -> str:
    """The report behind a marker that later runs find the comment by, within what a comment may hold.

    What is too long loses its details first, from the last one on.
    """
    marker = marker_of(report.stack)
    summary, details = [marker, *_summary(report)], _details(report)
    whole = text = _joined(summary, details)
    while details and len(text) > LONGEST_COMMENT - _ROOM:
        details.pop()
        text = _joined(summary, details)
    if len(text) > LONGEST_COMMENT - _ROOM:
        text = text[: text.rfind("\n", 0, LONGEST_COMMENT - _ROOM)]
    return text if text == whole else text.rstrip("\n") + _CUT


def marker_of(stack: str) -> str:
    """An HTML comment, which nobody sees."""
    return f"<!-- loco-report: {re.sub('[^A-Za-z0-9._/-]', '_', stack)} -->"


def code(text: str, cell: bool = False) -> str:
    """Text as it is, on one line: in it nothing is markup or a mention, and in a table nothing a cell's end."""
    flat = _flat(text).replace("|", "\\|") if cell else _flat(text)
    if not flat.strip():
        return "` `"
    ticks = "`" * (max((len(found) for found in _TICKS.findall(flat)), default=0) + 1)
    room = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{room}{flat}{room}{ticks}"


def _joined(summary: Iterable[str], details: Iterable[str]) -> str:
    return "\n".join([*summary, *details]) + "\n"


def _summary(report: Report) -> list[str]:
    against = f", compared with {code(report.base)}" if report.base else ""
    source = "the engine's preview" if report.by_engine else "the files alone"
    lines = [f"**{code(report.stack)}: {_plain(headline(report))}**", "", f"Told by {source}{against}.", ""]
    for failure in report.failed:
        lines += ["The engine says:", "", *_fenced(failure.strip()[:_LONGEST_FAILURE]), ""]
    if report.parts:
        lines += ["| document | | pods | because |", "|---|---|---|---|"]
        lines += [row for part in report.parts for row in _rows(part)]
        lines.append("")
    for pair in report.renamed:
        lines += [_escaped(renaming(pair)), ""]
    lines += [f"- {_plain(sentence)}" for sentence in need(report)]
    lines += [f"- {_escaped(note)}" for note in report.notes]
    if report.findings:
        lines.append(f"- findings: {verdict(report.findings)}")
    return lines


def _rows(part: Part) -> Iterator[str]:
    name = code(part.name, cell=True) if part.kind else part.subject
    kind = f"{part.kind} " if part.kind else ""
    change = f"**{part.change}**" if part.change in ("replaced", "deleted") else part.change
    if not part.rollouts:
        pods = NO_EFFECT if not part.acts else "none of its own" if part.kind == EXTERNAL_MODEL else "none"
        yield f"| {kind}{name} | {change} | {pods} | {_because(part, part.causes or part.written)} |"
    for rollout in part.rollouts:
        pods = "<br>".join(_plain(words) for words in movements(rollout)) or "none"
        yield f"| {kind}{name} | {change} | {code(rollout.id.name, cell=True)}: {pods} | {_because(part, why_in_part(part, rollout))} |"


def _because(part: Part, causes: tuple[Cause, ...]) -> str:
    """Why; of what has no cause the objects that change, or else where it is written."""
    if not causes:
        lines = [code(line, cell=True) for line in part.others[:_OTHERS]] if not part.rollouts else []
        if len(part.others) > len(lines) > 0:
            lines.append(f"and {len(part.others) - len(lines)} more")
        return "<br>".join(lines) or (code(placed(part), cell=True) if part.origin else "–")
    shown, more = main_causes(causes)
    words = [_cause(cause, cell=True) for cause in shown]
    if more:
        words.append(f"and {more} more")
    return "<br>".join(words)


def _cause(cause: Cause, cell: bool = False) -> str:
    change, place = change_of(cause), place_of(cause)
    first, _, rest = cause.what.partition(" ")
    what = f"{first} {code(rest, cell)}" if first in _NOUNS and rest else code(cause.what, cell)
    return (
        what
        + (f" {code(change, cell)}" if change else "")
        + (f" {'at ' if cause.origin else ''}{code(place, cell)}" if place else "")
    )


def _details(report: Report) -> list[str]:
    """Collapsed sections, each one text that may be left out."""
    sections = []
    for part in report.parts:
        lines = []
        for rollout in (rollout for rollout in part.rollouts if rollout.causes):
            was = f", in place of {code(str(rollout.was))}" if rollout.was else ""
            lines += [f"{code(str(rollout.id))}{was}:", "", *(f"- {_cause(cause)}" for cause in rollout.causes), ""]
        lines += [*(f"- {_cause(cause)}" for cause in part.causes), *(f"- {code(line)}" for line in part.others)]
        if part.written:
            lines += ["", "Written otherwise than in the base:", "", *(f"- {_cause(cause)}" for cause in part.written)]
        if any(line.startswith("- ") for line in lines):
            where = f", {placed(part)}" if part.origin else ""
            sections.append(_collapsed(f"{part.subject}: {part.change}{where}", lines))
    if report.config:
        sections.append(_collapsed("stack config", [f"- {_cause(cause)}" for cause in report.config]))
    if report.findings:
        found = sorted(report.findings, key=lambda finding: finding.severity)
        sections.append(_collapsed("findings", _fenced("\n\n".join(map(str, found)))))
    return sections


def _collapsed(title: str, lines: list[str]) -> str:
    return "\n".join(["", f"<details><summary>{_html(title)}</summary>", "", *lines, "", "</details>"])


def _html(text: str) -> str:
    """Text of a summary; a mention in it would call somebody."""
    return f"<code>{html.escape(_flat(text)).replace('@', '&#64;')}</code>"


def _fenced(text: str) -> list[str]:
    ticks = "`" * max(3, max((len(found) for found in _TICKS.findall(text)), default=0) + 1)
    clean = "\n".join(map(_flat, text.splitlines()))
    return [f"{ticks}text", clean, ticks]


def _plain(text: str) -> str:
    """Loco's own words, in which names of devices may stand."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("@", "&#64;")


def _escaped(text: str) -> str:
    """A sentence with text of users in it."""
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", html.escape(_flat(text), quote=False)).replace("@", "&#64;")


def _flat(text: str) -> str:
    """On one line, without what isn't to be seen."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
