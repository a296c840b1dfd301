"""Whether a stack's documents come from files at all; a program may make them, and then files tell nothing."""

from pathlib import Path

from loco.cli.report.preview import Preview
from loco.plan import Plan
from loco.spec import StackSpec
from loco.spec.tree import Row, at

BY_A_PROGRAM = (
    "a program makes the documents of this stack, or some of them: what isn't in the preview is unknown, so there are "
    "neither totals nor findings, and no base to compare with"
)
NOTHING_TO_TELL = "a program makes the documents of this stack, and files tell nothing of them: --preview FILE has what the engine says"


def has_no_files(root: Path, spec: StackSpec) -> bool:
    """Whether nobody has written where the files are, and none are where they are by default."""
    written = at(spec.config_tree, ("files",))
    if written is not None and not (isinstance(written, Row) and not written.items):
        return False
    return not any(True for pattern in ([] if written else spec.config.files) for _ in root.glob(pattern))


def makes_more(preview: Preview, plan: Plan) -> bool:
    """Whether the engine makes or changes services and gateways that no file has."""
    return not plan.errors and bool(preview.kept - plan.running.keys())
