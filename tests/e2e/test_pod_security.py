"""Every pod template passes a namespace that enforces the restricted pod security standard."""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from dev.cluster.client import Refused
from loco.model.pod_templates import pod_templates
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from tests.conftest import REPOSITORY
from tests.e2e.topology_table import DOCUMENTS, PLATFORM, WITHOUT_TLS, plan_for
from tests.goldens.objects import dry_run
from tests.goldens.test_goldens import ELSEWHERE

pytestmark = pytest.mark.e2e

NAMESPACE = "restricted"
LABELS = {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "latest"}
ROWS = [
    pytest.param(name, tls, id=f"{name}-{'tls' if tls else 'plain'}")
    for name in DOCUMENTS
    for tls in (False, True)
    if not (tls and name in WITHOUT_TLS)
]


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster: Cluster) -> None:
    cluster.client().create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": LABELS}})


def pods_of(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each pod template by workload and place, as a Pod with the namespace's own account."""
    for manifest in plan.manifests:
        for (*_, place), template in pod_templates(manifest.data):
            spec: dict[str, Any] = {**copy.deepcopy(template["spec"]), "serviceAccountName": "default"}
            metadata = {"name": "probe", "namespace": NAMESPACE}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
            yield f"{manifest.name} {place}", pod


def refused(cluster: Cluster, plan: Plan) -> dict[str, str]:
    """Why the API server refuses pods, by those that it refuses; for nothing else than their security."""
    found = {}
    for name, pod in pods_of(plan):
        try:
            dry_run(cluster, [pod])
        except Refused as why:
            if "violates PodSecurity" not in str(why):
                raise
            found[name] = str(why)
    return found


def weak(plan: Plan) -> list[str]:
    return [finding.path for finding in plan.findings if finding.code == "LOCO-WEAK-SECURITY"]


@pytest.mark.parametrize(("name", "tls"), ROWS)
def test_accepted(name: str, tls: bool, cluster: Cluster) -> None:
    plan = plan_for(name, tls=tls)
    assert [*pods_of(plan)]
    assert (refused(cluster, plan), weak(plan)) == ({}, [])


def test_the_table_holds_every_pod() -> None:
    """Engine, leader, worker, prefill, picker, tokenizer and LiteLLM; with the servers that some have beside them."""
    pods = [pod for name in DOCUMENTS for pod in pods_of(plan_for(name))]
    kinds = {name.removeprefix("chat-").partition(" ")[::2] for name, _ in pods if name.startswith("chat-")}
    deployment, leader, worker = "template", "leaderTemplate", "workerTemplate"
    assert kinds == {
        ("kserve", deployment),
        ("kserve-mn", leader),
        ("kserve-mn", worker),
        ("kserve-prefill", deployment),
        ("kserve-mn-prefill", leader),
        ("kserve-mn-prefill", worker),
        ("kserve-router-scheduler", deployment),
        ("tokenizer", deployment),
    }
    assert "main-litellm template" in dict(pods)
    containers = {
        container["name"]
        for _, pod in pods
        for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", []))
    }
    assert containers >= {"llm-d-routing-sidecar", "storage-initializer", "modelcar", "prediction-server"}


@pytest.mark.parametrize("tls", [False, True])
def test_the_example_is_accepted(tls: bool, cluster: Cluster) -> None:
    config = {
        "files": ["models/opt-125m.yaml"] if tls else ["models/*.yaml"],  # a gateway can't mount the CA yet
        "namespace": NAMESPACE,
        "cluster": {"context": "c"},
        "platform": {"tls": tls, "gateway": {"name": "g", "namespace": "n", "internalURL": "http://g.n.svc"}},
        "credentials": {} if tls else {"openai": {"token": {"existing": True}}},
    }
    plan = plan_stack(read_stack(REPOSITORY, config))
    assert not plan.errors
    assert [*pods_of(plan)]
    assert refused(cluster, plan) == {}


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("no router", "chat-kserve template"),
        ("multi-multi", "chat-kserve-mn leaderTemplate"),
        ("multi-multi", "chat-kserve-mn-prefill workerTemplate"),
        ("tokenizer", "chat-kserve-router-scheduler template"),
        ("behind a gateway", "main-litellm template"),
    ],
)
def test_a_weak_template_is_refused(name: str, place: str, cluster: Cluster) -> None:
    pod = dict(pods_of(plan_for(name)))[place]
    dry_run(cluster, [pod])
    pod["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    with pytest.raises(Refused, match="violates PodSecurity"):
        dry_run(cluster, [pod])


def test_the_reference_passes_none(cluster: Cluster) -> None:
    """So that it is the profile which makes them pass."""
    plan = plan_for("multi-multi", "kserve")
    assert refused(cluster, plan).keys() >= {"chat-kserve-mn leaderTemplate", "chat-kserve-mn workerTemplate"}
    assert not weak(plan), "a profile that corrects nothing says nothing of it"


def recorded(folder: Path) -> Plan:
    """The plan of a recorded input under the profile ``safe``."""
    documents: list[Mapping[str, Any]] = [d for d in yaml.safe_load_all((folder / "input.yaml").read_text()) if d]
    for document in documents:
        if document["kind"] not in ELSEWHERE:
            document["metadata"].pop("namespace", None)
    config = {
        "namespace": "llm",
        "cluster": {"context": "recorded"},
        "platform": {**PLATFORM, "tls": folder.name.endswith(".tls")},
    }
    return plan_stack(read_stack(folder, config, documents=documents))


# What is wrong with an input under this profile, and has nothing to do with pods.
REFUSED_INPUTS = {
    "missing-base",
    "sample-kv-cache-offloading-kv-cache-offloading",
    "sample-latency-predictor-latency-predictor",
}


def test_recorded_inputs_are_accepted_or_told_of(shared: Path, cluster: Cluster) -> None:
    """An input that asks for a weaker context is told so; every other's pods pass."""
    asking, planned = set(), set()
    for folder in sorted(path for path in (shared / "goldens").iterdir() if path.is_dir()):
        plan = recorded(folder)
        if plan.errors:
            assert folder.name in REFUSED_INPUTS, [str(finding) for finding in plan.errors]
            continue
        planned.add(folder.name)
        told, why = weak(plan), refused(cluster, plan)
        assert bool(told) == bool(why), f"{folder.name}: told {told}, refused {why}"
        asking |= {folder.name} if told else set()
    assert asking, "none of them asks for a weaker context"
    assert len(planned - asking) > len(asking)
