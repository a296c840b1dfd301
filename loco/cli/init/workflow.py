"""The workflow that shows in a pull request what it would change: the one that loco's own repository runs."""

from pathlib import Path

WORKFLOW = "preview.yml"


def workflow_text() -> str:
    """Its text: from inside the package in a wheel, from ``.github/workflows`` in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "workflows" / WORKFLOW
    return (inside if inside.is_file() else package.parent / ".github/workflows" / WORKFLOW).read_text("utf-8")
