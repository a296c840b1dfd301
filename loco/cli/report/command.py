"""``loco report``: arguments in, Markdown, text or JSON out."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loco.cli.diff.documents import Side
from loco.cli.findings import show
from loco.cli.report.as_json import as_json
from loco.cli.report.markdown import as_comment, as_markdown
from loco.cli.report.preview import NoPreview, Preview, read_preview, world_of
from loco.cli.report.programs import BY_A_PROGRAM, NOTHING_TO_TELL, has_no_files, makes_more
from loco.cli.report.refusals import expected_refusals, ways_out
from loco.cli.report.report import Report, parts_of, renamed_documents, totals_of
from loco.cli.report.revision import files_of
from loco.cli.report.stack_file import raw_config
from loco.cli.report.text import as_text
from loco.cli.report.two_plans import readers_of, world_between
from loco.cli.report.written import Written, all_new, written_between
from loco.cli.source import project_folder, read_project_at
from loco.model import Finding, Refused, errors_of
from loco.plan import plan_stack

_NOW, _BASE = "these files", "the base"
_FILES_ALONE = (
    "told from the files alone: whether a secret has another value, or the cluster has been changed, is unknown"
)
_FORMS: dict[str, Callable[[Report], str]] = {"markdown": as_markdown, "text": as_text, "json": as_json}


@dataclass(frozen=True, slots=True)
class _Base:
    """What the base says.

    Attributes:
        side: its plan; None without a base, and where it has none.
        doubts: whose pods may restart since a secret was encrypted anew.
        is_new: whether it doesn't have the stack.
        has_files: whether it has documents in files.
    """

    side: Side | None = None
    written: Written = field(default_factory=Written)
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    is_new: bool = False
    has_files: bool = False


def declare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "report",
        help="print what a change does: which models, which pods restart and why, how many GPUs",
        description="Prints what a change does to the models of a stack: which are added, changed, replaced or deleted, "
        "which pods restart and why, how many GPUs that touches. With --preview the engine says what happens; with --base "
        "alone the files of a git revision are planned and compared, without engine, cluster or secrets. With both, the "
        "engine says what happens, and the base who set the old values. Exit status 1 when the plan has errors or the "
        "preview failed.",
    )
    parser.add_argument(
        "--stack", metavar="NAME", help="the stack of Pulumi.NAME.yaml (default: the preview's, or dev)"
    )
    parser.add_argument("--preview", metavar="FILE", help="what `pulumi preview --json` printed; - for standard input")
    parser.add_argument("--base", metavar="REF", help="a git revision to compare with, such as origin/main")
    parser.add_argument(
        "-o", "--output", choices=tuple(_FORMS), default="text", help="markdown, text (default) or json (one object)"
    )
    parser.add_argument(
        "--comment", action="store_true", help="Markdown for a comment: a marker first, and no longer than GitHub takes"
    )
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if options.preview is None and options.base is None:
        parser.error("what is to be reported? --preview FILE, --base REF, or both")
    if options.comment and options.output == "json":
        parser.error("--comment is Markdown; without -o json")
    root = project_folder()
    if root is None:
        parser.error("there is no Pulumi.yaml here or above; go to the project's folder")
    try:
        preview = _read(options.preview) if options.preview is not None else None
        stack = _stack(options.stack, preview)
        report = _report(root, stack, preview, options.base)
    except Refused as refusal:
        # A comment says so too: whoever reads it doesn't look at the log of the job.
        stack = options.stack or "dev"
        report = Report(stack, options.base, findings=refusal.findings)
        if not options.comment and options.output != "json":
            show(refusal.findings)
            return 1
    print(as_comment(report) if options.comment else _FORMS[options.output](report))
    return 1 if errors_of(report.findings) or report.failed else 0


def _read(file: str) -> Preview:
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return read_preview(text.decode("utf-8-sig"))
    except NoPreview as error:
        message = f"{'standard input' if file == '-' else file} holds no preview: {error}"
        cure = "`pulumi preview --json > FILE`, and what it says on standard error where the file stays empty"
    except (OSError, ValueError) as error:
        message = f"the preview can't be read: {(isinstance(error, OSError) and error.strerror) or error}"
        cure = "the path of what `pulumi preview --json` printed"
    raise Refused([Finding("LOCO-FILE", "error", "--preview", message, cure, value=file)])


def _stack(wanted: str | None, preview: Preview | None) -> str:
    found = preview.stack if preview is not None else None
    if wanted and found and wanted != found:
        message = f"the preview is one of the stack {found}"
        raise Refused([Finding("LOCO-REFERENCE", "error", "--stack", message, f"--stack {found}", value=wanted)])
    return wanted or found or "dev"


def _report(root: Path, stack: str, preview: Preview | None, base: str | None) -> Report:
    spec = read_project_at(root, stack)
    now = Side(_NOW, spec, plan_stack(spec))
    found = _base(root, stack, base, now) if base is not None else _Base()
    if preview is None:
        return _of_files(root, stack, str(base), now, found)
    failed = preview.errors
    notes = ["the preview failed, so what it shows is not all", *ways_out(failed)] if failed else []
    if (has_no_files(root, spec) and not found.has_files) or makes_more(preview, now.plan):
        world, others = world_of(preview, ())
        parts = parts_of(world, now, None, Written())
        notes += [*others, BY_A_PROGRAM]
        return Report(
            stack,
            None,
            True,
            parts,
            {},
            None,
            tuple(notes),
            renamed=renamed_documents(parts, world),
            failed=failed,
        )
    if failed and now.plan.errors:  # documents that can't be read are none that go
        return Report(stack, base, True, notes=tuple(notes[1:]), findings=now.plan.findings, failed=failed)
    world, others = world_of(preview, now.plan.manifests)
    written = found.written if not now.plan.errors else Written()
    parts = parts_of(world, now, found.side, written)
    return Report(
        stack,
        base,
        True,
        parts,
        {} if failed or now.plan.errors else totals_of(world),
        spec.config.platform.spare_gpus,
        (*found.notes, *others, *notes),
        written.config,
        renamed_documents(parts, world),
        now.plan.findings,
        failed,
    )


def _of_files(root: Path, stack: str, base: str, now: Side, found: _Base) -> Report:
    """What two plans say."""
    spec = now.stack
    if has_no_files(root, spec) and not found.has_files:
        return Report(stack, base, notes=(NOTHING_TO_TELL,))
    if now.plan.errors:
        notes = (*found.notes, "the plan has errors, so nothing can be said of what would happen")
        return Report(stack, base, notes=notes, findings=now.plan.findings)
    if found.side is None and not found.is_new:
        return Report(stack, base, notes=found.notes, findings=now.plan.findings)
    world = world_between(found.side.plan if found.side else None, now.plan)
    parts = parts_of(world, now, found.side, found.written)
    refused = expected_refusals(found.side, now) if found.side else ()
    return Report(
        stack,
        base,
        False,
        parts,
        totals_of(world),
        spec.config.platform.spare_gpus,
        (*refused, *found.notes, _FILES_ALONE, *found.doubts),
        found.written.config,
        renamed_documents(parts, world),
        now.plan.findings,
    )


def _base(root: Path, stack: str, ref: str, now: Side) -> _Base:
    """What the base says of the stack."""
    with files_of(root, ref, stack) as folder:
        if not (folder / f"Pulumi.{stack}.yaml").is_file():
            return _Base(
                notes=(f"the base has no stack {stack}, so all of it is new",), is_new=True, written=all_new(now)
            )
        try:
            spec = read_project_at(folder, stack)
        except Refused as refusal:
            return _Base(notes=(f"the base can't be planned: {errors_of(refusal.findings)[0].message}",))
        plan = plan_stack(spec)
        has_files = not has_no_files(folder, spec)
        if plan.errors:
            why = f"the base can't be planned ({len(plan.errors)} of its values are refused): {plan.errors[0].message}"
            return _Base(notes=(why,), has_files=has_files)
        secrets = _ciphertexts(folder, stack), _ciphertexts(root, stack)
    doubts = []
    for name in sorted(secrets[0].keys() & secrets[1].keys()):
        if secrets[0][name] != secrets[1][name]:
            readers = ", ".join(str(reader) for reader in readers_of(now.plan, name.rpartition(":")[2]))
            doubts.append(
                f"the secret {name.rpartition(':')[2]} is encrypted anew: if its value is another, {f'the pods of {readers} restart' if readers else 'no pod restarts'}"
            )
    side = Side(_BASE, spec, plan)
    return _Base(side, written_between(side, now), doubts=tuple(doubts), has_files=has_files)


def _ciphertexts(root: Path, stack: str) -> dict[str, str]:
    """The encrypted values of a stack's file, which tell nothing but whether they were written anew."""
    found = {key: value.get("secure") for key, value in raw_config(root, stack).items() if isinstance(value, dict)}
    return {key: value for key, value in found.items() if isinstance(value, str)}
