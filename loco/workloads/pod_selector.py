"""What selects exactly the pods of one workload object."""

from loco.model import Manifest

_OF_GROUPS = "leaderworkerset.sigs.k8s.io/name"  # on every pod of a LeaderWorkerSet, put there by its controller


def pod_selector(workload: Manifest) -> dict[str, str]:
    """Labels that all pods of a Deployment or LeaderWorkerSet have, and no others.

    A LeaderWorkerSet has no selector of its own, and its leaders and workers are labelled apart.
    """
    if workload.id.kind == "LeaderWorkerSet":
        return {_OF_GROUPS: workload.name}
    return dict(workload.data["spec"]["selector"]["matchLabels"])
