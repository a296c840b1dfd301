"""Findings about a cluster, collected."""

from collections.abc import Sequence

from loco.cli.cluster.need import Need
from loco.model import Finding
from loco.model.finding import Severity

_NAMED = 3  # further objects that a message names; the others are counted


class Report:
    """What is missing, what would not work, and what could not be told."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._unread: dict[tuple[str, str], list[tuple[Need, str, str]]] = {}

    def missing(self, needs: Sequence[Need], message: str, cure: str, *, warning: bool = False) -> None:
        """``LOCO-MISSING``: a warning where all that count on it can do without."""
        optional = warning or all(need.optional for need in needs)
        self._add("LOCO-MISSING", needs, message, cure, optional)

    def gateway(self, needs: Sequence[Need], message: str, cure: str, *, warning: bool = False) -> None:
        """``LOCO-GATEWAY``: a Gateway that is there, and would not take the route."""
        self._add("LOCO-GATEWAY", needs, message, cure, warning)

    def unread(self, need: Need, kind: str, namespace: str, name: str, why: str) -> None:
        """``LOCO-UNCHECKED``, one for all objects of a kind in a namespace: they share the cause."""
        self._unread.setdefault((kind, namespace), []).append((need, name, why))

    def findings(self) -> list[Finding]:
        """All of them; what could not be told comes last."""
        return [*self._findings, *(_unchecked(*key, unread) for key, unread in self._unread.items())]

    def _add(self, code: str, needs: Sequence[Need], message: str, cure: str, optional: bool) -> None:
        first = next((need for need in needs if not need.optional), needs[0])
        others = list(dict.fromkeys(need.subject for need in needs if need.subject != first.subject))
        if others:
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            message += f" (likewise for {', '.join(others[:_NAMED])}{more})"
        severity: Severity = "warning" if optional else "error"
        self._findings.append(Finding(code, severity, first.path, message, cure, first.origin, first.subject))


def _unchecked(kind: str, namespace: str, unread: Sequence[tuple[Need, str, str]]) -> Finding:
    need, _, why = unread[0]
    names = ", ".join(sorted({name for _, name, _ in unread if name}))
    where = f" in {namespace}" if namespace else ""
    message = f"could not check {kind}{f' {names}' if names else ''}{where}: {why}"
    option = f" -n {namespace}" if namespace else ""
    verb = "get" if names else "list"
    cure = f"a context whose user may {verb} {kind}{where}; kubectl auth can-i {verb} {kind.lower()}{option} tells"
    return Finding("LOCO-UNCHECKED", "warning", need.path, message, cure, need.origin, need.subject)
