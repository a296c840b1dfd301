"""Objects without pods that change: one line each, and none for what only the engine or loco looks at."""

from loco.cli.report.change import Change
from loco.cli.report.normal_form import normal
from loco.cli.report.structure import differences
from loco.model.pod_templates import pod_templates
from loco.spec.tree import dotted

_MOST_PATHS = 6
_TOLD = ("pulumi.com/", "locostack.com/stack", "locostack.com/digest.", "locostack.com/configHash")
_VERBS = {"create": "added", "update": "changed", "replace": "replaced", "delete": "deleted"}


def is_cosmetic(change: Change) -> bool:
    """Whether nothing differs that Kubernetes would act on."""
    return change.operation == "update" and not _paths(change)


def other_change(change: Change) -> str:
    """One line: the object, what happens to it, and the properties that differ."""
    called = f"{change.id.kind} {change.id.name}"
    if change.retained:
        return f"{called} no longer the stack's, and stays on the cluster"
    verb = _VERBS[change.operation]
    paths = _paths(change) if change.operation in ("update", "replace") else []
    if not paths:
        return f"{called} {verb}"
    more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
    pods = ", no pod restarts" if next(pod_templates(change.after or {}), None) and change.operation == "update" else ""
    return f"{called} {verb}: {', '.join(paths[:_MOST_PATHS])}{more}{pods}"


def _paths(change: Change) -> list[str]:
    if change.paths is not None:
        return [path for path in change.paths if not any(told in path for told in _TOLD)]
    found = differences(normal(change.before or {}), normal(change.after or {}))
    return [path for each in found if not any(told in (path := dotted(each.path)) for told in _TOLD)]
