"""LeaderWorkerSets as the engine gets them: digests on every pod, replacements of what is immutable."""

from collections.abc import Callable
from typing import Any

import pulumi

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.recorder import Registration, record

MakeStack = Callable[..., StackSpec]
VARIABLE = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "tools", "key": "k"}}}
SERVICE: dict[str, Any] = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "tiny"},
    "spec": {
        "model": {"uri": "hf://org/tiny"},
        "parallelism": {"data": 4, "dataLocal": 2},
        "worker": {"containers": [{"name": "main", "env": [VARIABLE]}]},
    },
}
TOKEN = "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet"


def groups(make_stack: MakeStack, value: str) -> Registration:
    spec = make_stack(SERVICE, credentials={"tools": {"k": {"config": "toolsKey"}}}, secrets=("toolsKey",))
    made = record(lambda: ModelServingStack("loco", spec, credentials={"toolsKey": pulumi.Output.secret(value)}))
    (found,) = (registration for registration in made if registration.token == TOKEN)
    return found


def test_a_rotation_shows_on_leader_and_workers_alike(make_stack: MakeStack) -> None:
    seen = []
    for value in ("one", "two"):
        group = groups(make_stack, value).props["spec"]["leaderWorkerTemplate"]
        leader, worker = (group[key]["metadata"]["annotations"] for key in ("leaderTemplate", "workerTemplate"))
        assert leader == worker
        assert leader.keys() == {"locostack.com/digest.tools", "locostack.com/configHash"}
        seen.append(leader["locostack.com/digest.tools"])
    assert seen[0] != seen[1]


def test_another_size_replaces_the_groups_delete_first(make_stack: MakeStack) -> None:
    request = groups(make_stack, "one").request
    assert list(request.replaceOnChanges) == [
        "spec.leaderWorkerTemplate.size",
        "spec.leaderWorkerTemplate.subGroupPolicy",
    ]
    assert request.deleteBeforeReplace
    assert list(request.ignoreChanges) == ["spec.replicas"]
