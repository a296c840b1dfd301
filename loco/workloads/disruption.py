"""How many of a workload's pods a node drain may take at once."""

from loco.layers import Resolved
from loco.model import Manifest
from loco.workloads.pod_selector import pod_selector


def disruption_budget(resolved: Resolved, workload: Manifest) -> Manifest | None:
    """One pod at a time, None under a profile without such a budget.

    Args:
        resolved: the service.
        workload: the Deployment or LeaderWorkerSet of one side.

    ``maxUnavailable`` and not ``minAvailable``: a single replica must not keep a node from ever being drained. All
    pods of a LeaderWorkerSet count, not its leaders alone: whichever pod goes, the whole group starts anew, and while
    it does, no pod of another group may be taken. A pod that isn't ready serves nobody and may always go, or one that
    can't start would hold up the drain.
    """
    if resolved.profile.settings.disruption_budget != "maxUnavailable1":
        return None
    data = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {
            "name": workload.name,
            "namespace": workload.namespace,
            "labels": dict(workload.data["metadata"]["labels"]),
        },
        "spec": {
            "maxUnavailable": 1,
            "selector": {"matchLabels": pod_selector(workload)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    }
    return Manifest(data, workload.component, resolved.origin)
