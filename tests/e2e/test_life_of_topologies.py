"""Prefill and decode apart, groups of pods and a gateway: one stack, interrupted, healed, changed and removed.

The controller of LeaderWorkerSets is not to be had here, so these are stored and no pods come of them.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from tests.e2e.cluster_facts import inhabitants, objects, ready_pods, wait_until
from tests.e2e.conftest import Project
from tests.e2e.events import finished, index_of, steps

pytestmark = pytest.mark.e2e

NAMESPACE = "pairs"
GROUPS_API = "leaderworkerset.x-k8s.io/v1"
ROUTER: dict[str, Any] = {"route": {}, "gateway": {}, "scheduler": {}}
PLATFORM = {"gateway": {"name": "shared", "namespace": "infra", "internalURL": "http://gw.infra.svc"}}
EXTERNAL = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec: {provider: openai, model: gpt-4o-mini, url: https://api.openai.com/v1}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1, masterKey: {generate: true}}
"""


def service(name: str, spec: dict[str, Any]) -> str:
    document = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": name},
        "spec": {"model": {"uri": "hf://org/tiny", "name": f"org/{name}"}, **spec},
    }
    return yaml.safe_dump(document)


def engine(image: str = "registry.example/vllm:1", gpus: int = 1) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": image,
        "resources": {"limits": {"nvidia.com/gpu": gpus}},
        # Values of these kinds are completed by the API server.
        "env": [
            {"name": "ADDRESS", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            {"name": "CORES", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        ],
    }
    return {"containers": [container]}


def pair(prefill_image: str = "registry.example/vllm:1", prefill: bool = True) -> str:
    side = {"prefill": {"replicas": 2, "template": engine(prefill_image)}} if prefill else {}
    return service("pair", {"replicas": 1, "template": engine(), "router": ROUTER, **side})


def mixed(data: int = 4) -> str:
    group = {"parallelism": {"data": data, "dataLocal": 2}, "template": engine(gpus=2), "worker": engine(gpus=2)}
    return service("mixed", {"replicas": 1, "template": engine(), "router": ROUTER, "prefill": group})


def plain(several_nodes: bool = False) -> str:
    more = {"worker": engine(gpus=2), "parallelism": {"data": 4, "dataLocal": 2}} if several_nodes else {}
    return service("plain", {"replicas": 1, "template": engine(gpus=2), **more})


MODELS = {"pair.yaml": pair(), "mixed.yaml": mixed(), "plain.yaml": plain(), "gateway.yaml": EXTERNAL}


def pods(cluster: Cluster, *beginnings: str) -> dict[str, str]:
    return {name: uid for name, uid in ready_pods(cluster, NAMESPACE).items() if name.startswith(beginnings)}


def names_of(cluster: Cluster, api_version: str, kind: str) -> set[str]:
    return {item["metadata"]["name"] for item in objects(cluster, api_version, kind, NAMESPACE)}


@pytest.fixture(scope="module")
def project(make_project: Callable[..., Project], cluster: Cluster) -> Project:
    """The whole stack, after an update that was killed in its middle and another one."""
    project = make_project(MODELS, namespace=NAMESPACE, platform=PLATFORM)
    kill_in_the_middle(project, lambda: "pair-kserve-prefill" in names_of(cluster, "apps/v1", "Deployment"))
    project.pulumi("cancel", "--yes", "--stack", project.stack)
    project.pulumi("refresh", "--clear-pending-creates", "--yes", "--skip-preview", "--stack", project.stack)
    project.up()
    return project


def kill_in_the_middle(project: Project, reached: Callable[[], bool]) -> None:
    """Starts an update, and kills the engine as soon as something is there; its own children go with it."""
    command = [
        "pulumi",
        "up",
        "--yes",
        "--skip-preview",
        "--non-interactive",
        "--color=never",
        "--stack",
        project.stack,
    ]
    with (project.folder / "killed.log").open("wb") as log:
        started = subprocess.Popen(
            command,
            cwd=project.folder,
            env=project.environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(lambda: started.poll() is not None or reached())
        assert started.poll() is None, (project.folder / "killed.log").read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait(timeout=30)


class TestAfterAnInterruption:
    def test_the_stack_is_complete(self, project: Project, cluster: Cluster) -> None:
        wanted = {"pair-kserve": 1, "pair-kserve-prefill": 2, "mixed-kserve": 1, "plain-kserve": 1, "main-litellm": 1}
        deployments = {d["metadata"]["name"]: d for d in objects(cluster, "apps/v1", "Deployment", NAMESPACE)}
        assert deployments.keys() >= wanted.keys()
        assert {name: deployments[name]["status"]["readyReplicas"] for name in wanted} == wanted
        assert names_of(cluster, GROUPS_API, "LeaderWorkerSet") == {"mixed-kserve-mn-prefill"}

    def test_nothing_is_pending_or_left_to_do(self, project: Project) -> None:
        exported = project.pulumi("stack", "export", "--stack", project.stack).stdout
        assert not json.loads(exported)["deployment"].get("pending_operations")
        project.preview("--expect-no-changes")

    def test_objects_that_the_engine_knows_nothing_of_are_adopted(self, project: Project, cluster: Cluster) -> None:
        """As if the update had been cut off in the making of each: engines and pickers stay."""
        before = pods(cluster, "pair", "mixed", "plain")
        state = json.loads(project.pulumi("stack", "export", "--stack", project.stack).stdout)
        resources = state["deployment"]["resources"]
        forgotten = {r["urn"] for r in resources if r["type"].startswith("kubernetes:")}
        assert len(forgotten) > 40
        kept = [r for r in resources if r["urn"] not in forgotten]
        for resource in kept:  # what keeps destroys back depends on them all
            resource["dependencies"] = [urn for urn in resource.get("dependencies", []) if urn not in forgotten]
        state["deployment"]["resources"] = kept
        project.write("state.json", json.dumps(state))
        project.pulumi("stack", "import", "--file", "state.json", "--stack", project.stack)
        project.up()
        assert len(before) == 7
        assert pods(cluster, "pair", "mixed", "plain") == before
        project.preview("--expect-no-changes")

    def test_a_pair_takes_its_gpus_on_each_side(self, project: Project, cluster: Cluster) -> None:
        asked = [
            pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
            for pod in objects(cluster, "v1", "Pod", NAMESPACE)
            if pod["metadata"]["name"].startswith("pair-kserve") and "scheduler" not in pod["metadata"]["name"]
        ]
        assert asked == ["1", "1", "1"]


@pytest.mark.usefixtures("project")
class TestChanges:
    def test_another_prefill_image_rolls_prefill_alone(self, project: Project, cluster: Cluster) -> None:
        before, rolled = ready_pods(cluster, NAMESPACE), pods(cluster, "pair-kserve-prefill")
        project.write("models/pair.yaml", pair("registry.example/vllm:2"))
        project.up()
        after = ready_pods(cluster, NAMESPACE)
        assert len(rolled) == len(pods(cluster, "pair-kserve-prefill")) == 2
        assert before.items() - after.items() == rolled.items()

    def test_a_group_of_another_size_and_pods_that_become_groups(self, project: Project, cluster: Cluster) -> None:
        before = pods(cluster, "pair", "mixed", "main")
        project.write("models/mixed.yaml", mixed(8))
        project.write("models/plain.yaml", plain(several_nodes=True))
        shown = steps(project.preview("--json").stdout)
        assert shown["mixed-kserve-mn-prefill"] == {"replace"}
        assert shown["plain-kserve-mn"] == {"replace", "create"}, "the groups, and the account of their pods"
        assert "pair-kserve" not in shown
        assert "mixed-kserve" not in shown

        events = project.events("up")
        ended = [*order(events, "mixed-kserve-mn-prefill"), *order(events, "plain-kserve", "plain-kserve-mn")]
        assert ended == [
            ("delete-replaced", "LeaderWorkerSet"),
            ("create-replacement", "LeaderWorkerSet"),
            ("delete-replaced", "Deployment"),
            ("create-replacement", "LeaderWorkerSet"),
        ]
        sizes = {
            item["metadata"]["name"]: item["spec"]["leaderWorkerTemplate"]["size"]
            for item in objects(cluster, GROUPS_API, "LeaderWorkerSet", NAMESPACE)
        }
        assert sizes == {"mixed-kserve-mn-prefill": 4, "plain-kserve-mn": 2}
        assert "plain-kserve" not in names_of(cluster, "apps/v1", "Deployment")
        assert pods(cluster, "pair", "mixed", "main") == before
        project.preview("--expect-no-changes")

    def test_prefill_goes_and_comes_again(self, project: Project, cluster: Cluster) -> None:
        """The main workload's role is in its selector, so it is another Deployment to Kubernetes."""
        for there in (False, True):
            project.write("models/pair.yaml", pair("registry.example/vllm:2", prefill=there))
            events = project.events("up")
            replaced = [("delete-replaced", "Deployment"), ("create-replacement", "Deployment")]
            assert order(events, "pair-kserve")[-2:] == replaced
            assert ("pair-kserve-prefill" in names_of(cluster, "apps/v1", "Deployment")) is there
            assert len(pods(cluster, "pair-kserve-prefill")) == (2 if there else 0)
            assert not order(events, "mixed-kserve")
        project.preview("--expect-no-changes")


def order(events: list[dict[str, Any]], *names: str) -> list[tuple[str, str]]:
    """What the engine did with workloads of these names, in order, as operation and kind."""
    done = []
    for event in events:
        if step := event.get("resOutputsEvent"):
            token, _, name = step["metadata"]["urn"].rpartition("::")
            kind, operation = token.rpartition(":")[2], step["metadata"]["op"]
            is_workload = kind in ("Deployment", "LeaderWorkerSet") and name.rpartition("/")[2] in names
            if is_workload and operation not in ("same", "replace"):
                done.append((operation, kind))
    return done


def test_another_label_of_the_reference_replaces_and_is_shown(
    make_project: Callable[..., Project], cluster: Cluster
) -> None:
    """Under the profile ``kserve`` all labels are in the selector; and prefill is switched there too."""

    def model(prefill: bool = True, **labels: str) -> str:
        side = {"prefill": {"replicas": 1, "template": engine()}} if prefill else {}
        return service("tiny", {"replicas": 1, "labels": labels, "template": engine(), **side})

    project = make_project({"tiny.yaml": model(team="a")}, namespace="labelled", profile="kserve")
    project.up()
    pods = ready_pods(cluster, "labelled")
    assert len(pods) == 2
    project.preview("--expect-no-changes")

    project.write("models/tiny.yaml", model(team="b"))
    shown = steps(project.preview("--json").stdout)
    assert shown["tiny-kserve"] == {"replace"}
    assert "tiny-kserve-prefill" not in shown
    project.up()
    after = ready_pods(cluster, "labelled")
    assert {name for name, uid in after.items() if uid in pods.values()} == {n for n in pods if "prefill" in n}

    for there, count in ((False, 1), (True, 2)):
        project.write("models/tiny.yaml", model(there, team="b"))
        project.up()
        assert len(ready_pods(cluster, "labelled")) == count
    project.preview("--expect-no-changes")
    assert_nothing_is_left(project, cluster, "labelled")


def test_removal_leaves_nothing(project: Project, cluster: Cluster) -> None:
    assert inhabitants(cluster, NAMESPACE), "else an empty list after the removal would say nothing"
    assert_nothing_is_left(project, cluster, NAMESPACE)


def assert_nothing_is_left(project: Project, cluster: Cluster, namespace: str) -> None:
    """Neither in the state nor in the cluster, of whatever kind, cluster-wide ones included."""
    order = finished(project.events("destroy"), "delete")
    assert index_of(order, ":Deployment::") < index_of(order, ":Namespace::")
    assert project.resources() == []
    wait_until(lambda: inhabitants(cluster, namespace) == [])
