"""Where an object holds the templates of its pods."""

from collections.abc import Iterator, Mapping
from typing import Any

_GROUPS = ("spec", "leaderWorkerTemplate")
_OPEN = ("InferencePool", "HTTPRoute")  # which hold what users write of them, a field called template too


def pod_templates(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Each pod template of an object with its path; none where the object makes no pods.

    A Deployment has one. A LeaderWorkerSet has the leader's, unless its leaders are made from the workers', and theirs.
    """
    spec: Mapping[str, Any] = data.get("spec") or {}
    group = spec.get("leaderWorkerTemplate")
    if isinstance(group, Mapping):
        for key in ("leaderTemplate", "workerTemplate"):
            if key in group:
                yield (*_GROUPS, key), group[key]
    elif data.get("kind") not in _OPEN and isinstance(template := spec.get("template"), Mapping):
        yield ("spec", "template"), template
