"""A report for programs: one JSON object."""

import json
from typing import Any

from loco.cli.report.pods import Count
from loco.cli.report.report import Part, Report
from loco.cli.report.rollout import Rollout
from loco.cli.report.words import headline


def as_json(report: Report) -> str:
    """``version`` counts changes of this form that a reader must know of."""
    return json.dumps(as_dict(report), indent=2, ensure_ascii=False)


def as_dict(report: Report) -> dict[str, Any]:
    """The same as plain data."""
    totals = {
        name: {"before": total.before, "after": total.after, "atLeast": total.least}
        for name, total in (report.totals or {}).items()
    }
    return {
        "version": 1,
        "stack": report.stack,
        "base": report.base,
        "source": "preview" if report.by_engine else "files",
        "summary": headline(report),
        "parts": [_part(part) for part in report.parts],
        "restarts": sorted({_called(rollout) for rollout in report.rollouts if rollout.restarts.number != 0}),
        "devices": {"touched": report.touched, "surge": report.surge, "spareGpus": report.spare, "totals": totals},
        "config": [cause.as_dict() for cause in report.config],
        "renamed": [{"old": pair.old, "new": pair.new} for pair in report.renamed],
        "notes": list(report.notes),
        "failed": list(report.failed),
        "findings": [finding.as_dict() for finding in report.findings],
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "document": part.subject,
        "change": part.change,
        "origin": part.origin.as_dict() if part.origin else None,
        "workloads": [_rollout(rollout) for rollout in part.rollouts],
        "causes": [cause.as_dict() for cause in part.causes],
        "others": list(part.others),
        "written": [cause.as_dict() for cause in part.written],
    }


def _rollout(rollout: Rollout) -> dict[str, Any]:
    return {
        "object": _called(rollout),
        "was": str(rollout.was) if rollout.was else None,
        "happens": rollout.happening,
        "restarts": _count(rollout.restarts),
        "starts": _count(rollout.starts),
        "stops": _count(rollout.stops),
        "podsPerReplica": rollout.sizes[1],
        "devicesPerReplica": dict(rollout.devices_after or rollout.devices),
        "surge": rollout.surging(),
        "causes": [cause.as_dict() for cause in rollout.causes],
    }


def _called(rollout: Rollout) -> str:
    return str(rollout.id)


def _count(count: Count) -> dict[str, int | None]:
    """``number`` null where something else scales the pods; then between the bounds that are known."""
    return {"number": count.number, "least": count.least if count.known else None, "most": count.most}
