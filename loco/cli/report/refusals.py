"""What the engine refuses, or has refused, and the way out: in words for the notes of a report."""

import re
from collections.abc import Iterable, Iterator

from loco.cli.diff.documents import Side
from loco.spec import GATEWAY

# How the API server names the owner of a field that somebody else applies.
_OWNER = re.compile(r"conflicts? with \"([^\"]+)\"")
_OF_A_STACK = "loco/"  # under which loco applies: loco/PROJECT/STACK
FORCED = "PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up --refresh"


def expected_refusals(then: Side, now: Side) -> Iterator[str]:
    """What an update from the base's state would be refused for, though the plan itself has no errors."""
    clusters = [_cluster(side) for side in (then, now)]
    if None not in clusters and clusters[0] != clusters[1]:
        yield (
            f"the update will be refused (LOCO-CLUSTER): the base's stack lives on the cluster {clusters[0]}, and "
            f"cluster.identifier is {clusters[1]} now; another cluster is another stack"
        )
    if not then.stack.deletion_protection:
        return
    for subject, runs in sorted(then.plan.running.items()):
        if runs and subject not in now.plan.running:
            kind = subject.partition("/")[0]
            stop = "replicas: 0" if kind == GATEWAY else 'the annotation serving.kserve.io/stop: "true"'
            yield (
                f"the update will be refused (LOCO-PROTECTED): {subject} runs in the base, under deletionProtection; "
                f"stop it first ({stop}), update, then remove it"
            )


def ways_out(failures: Iterable[str]) -> Iterator[str]:
    """What to do where the API server keeps a field for somebody else."""
    owners = dict.fromkeys(owner for failure in failures for owner in _OWNER.findall(failure))
    for owner in (owner for owner in owners if owner.startswith(_OF_A_STACK)):
        yield (
            f"{owner} is another stack, which has an object of the same name in the same namespace: give this stack "
            "another namespace, or the document another name"
        )
    others = [owner for owner in owners if not owner.startswith(_OF_A_STACK)]
    if others:
        yield (
            f"fields on the cluster belong to somebody else, as replicas do after kubectl scale ({', '.join(others)}): "
            f"{FORCED} takes them back; to keep their values, write them into the files first"
        )


def _cluster(side: Side) -> str | None:
    """What the stack remembers its cluster by."""
    cluster = side.stack.config.cluster
    return cluster.identifier or cluster.context
