"""A real cluster: what it admits and runs, how it reports a dead part, that nothing is left."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Client, Refused
from dev.cluster.contents import OWN_CRDS, RESOURCES
from dev.cluster.parts import PROGRAMS
from dev.messages import Problem
from dev.toolchain import Tools

pytestmark = pytest.mark.e2e

LABELS = {"app": "engine"}
POD = {
    "metadata": {"labels": LABELS},
    "spec": {
        "containers": [
            {
                "name": "main",
                "image": "example.com/engine:1",
                "resources": {"limits": {"nvidia.com/gpu": "8", "cpu": "4", "memory": "64Gi"}},
            }
        ]
    },
}
PICKER = {"name": "picker", "port": {"number": 9002}}
VALID: dict[str, tuple[str, dict[str, Any]]] = {
    "inferencepools.inference.networking.k8s.io": (
        "v1",
        {
            "selector": {"matchLabels": LABELS},
            "targetPorts": [{"number": 8000}, {"number": 8001}],
            "endpointPickerRef": PICKER,
        },
    ),
    "inferencepools.inference.networking.x-k8s.io": (
        "v1alpha2",
        {"selector": LABELS, "targetPortNumber": 8000, "extensionRef": {"name": "p", "portNumber": 1}},
    ),
    "leaderworkersets.leaderworkerset.x-k8s.io": (
        "v1",
        {
            "replicas": 2,
            "leaderWorkerTemplate": {"size": 4, "workerTemplate": POD, "leaderTemplate": POD},
            "rolloutStrategy": {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxSurge": "10%"}},
            "networkConfig": {"subdomainPolicy": "Shared"},
        },
    ),
    "scaledobjects.keda.sh": (
        "v1alpha1",
        {
            "scaleTargetRef": {"name": "engine"},
            "minReplicaCount": 0,
            "triggers": [{"type": "prometheus", "metadata": {"query": "up"}}],
        },
    ),
    "podmonitors.monitoring.coreos.com": (
        "v1",
        {"selector": {"matchLabels": LABELS}, "podMetricsEndpoints": [{"port": "http", "path": "/metrics"}]},
    ),
    "servicemonitors.monitoring.coreos.com": (
        "v1",
        {"selector": {"matchLabels": LABELS}, "endpoints": [{"targetPort": 9090, "interval": "15s"}]},
    ),
    "prometheusrules.monitoring.coreos.com": (
        "v1",
        {"groups": [{"name": "a", "rules": [{"alert": "Down", "expr": "up == 0", "for": "5m"}]}]},
    ),
}


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture
def client(cluster: Cluster) -> Client:
    return cluster.client()


def test_deployment_with_gpus_becomes_available(client: Client) -> None:
    path = "/apis/apps/v1/namespaces/default/deployments"
    spec = {"replicas": 2, "selector": {"matchLabels": LABELS}, "template": POD}
    client.create(
        path,
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "engine"}, "spec": spec},
    )

    def available() -> bool:
        status = client.get(f"{path}/engine").get("status", {})
        conditions = {one["type"]: one["status"] for one in status.get("conditions", [])}
        return conditions.get("Available") == "True" and status.get("readyReplicas") == 2

    wait_until(available)
    pods = client.get("/api/v1/namespaces/default/pods?labelSelector=app%3Dengine")["items"]
    assert len({pod["spec"]["nodeName"] for pod in pods}) == 2, "each takes all GPUs of a node"


def test_nodes_have_what_they_should(client: Client) -> None:
    nodes = client.get("/api/v1/nodes")["items"]
    assert {one["metadata"]["name"] for one in nodes} >= {"loco-node-0", "loco-node-1"}
    for one in nodes:
        assert one["status"]["allocatable"].items() >= RESOURCES.items()


def test_new_namespace_gets_its_service_account_and_pod_security(client: Client) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    client.create("/api/v1/namespaces", {"metadata": {"name": "strict", "labels": labels}})

    def has_account() -> bool:
        try:
            client.get("/api/v1/namespaces/strict/serviceaccounts/default")
            client.get("/api/v1/namespaces/strict/configmaps/kube-root-ca.crt")
        except Refused:
            return False
        return True

    wait_until(has_account)
    with pytest.raises(Refused, match='violates PodSecurity "restricted'):
        client.create("/api/v1/namespaces/strict/pods", {"metadata": {"name": "p"}, "spec": POD["spec"]})


def test_resource_claims_are_served(client: Client) -> None:
    resources = client.get("/apis/resource.k8s.io/v1")["resources"]
    assert "resourceclaimtemplates" in [one["name"] for one in resources]


def test_gateway_api_is_there(client: Client) -> None:
    resources = client.get("/apis/gateway.networking.k8s.io/v1")["resources"]
    assert {"gateways", "httproutes", "gatewayclasses"} <= {one["name"] for one in resources}


def test_each_own_crd_has_a_case() -> None:
    assert {path.stem for path in OWN_CRDS.glob("*.yaml")} == set(VALID)


@pytest.mark.parametrize("crd", sorted(VALID))
def test_custom_resource(client: Client, crd: str) -> None:
    """A good one keeps its pods' fields; a misspelt field or a missing one is refused."""
    version, spec = VALID[crd]
    plural, _, group = crd.partition(".")
    definition = client.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{crd}")
    document = {
        "apiVersion": f"{group}/{version}",
        "kind": definition["spec"]["names"]["kind"],
        "metadata": {"name": "case"},
        "spec": spec,
    }
    path = f"/apis/{group}/{version}/namespaces/default/{plural}"
    client.call("POST", f"{path}?fieldValidation=Strict", json.dumps(document).encode())
    stored = client.get(f"{path}/case")["spec"]
    if plural == "leaderworkersets":
        assert stored["leaderWorkerTemplate"]["workerTemplate"] == POD
        assert client.get(f"{path}/case/scale")["spec"]["replicas"] == 2

    wrong = {**document, "metadata": {"name": "wrong"}, "spec": {**spec, "replicaz": 1}}
    with pytest.raises(Refused, match="unknown field"):
        client.call("POST", f"{path}?fieldValidation=Strict", json.dumps(wrong).encode())
    with pytest.raises(Refused, match="field not declared in schema"):
        client.apply(f"{path}/wrong", json.dumps(wrong).encode())
    if plural != "prometheusrules":
        with pytest.raises(Refused, match="Required value"):
            client.create(path, {**document, "metadata": {"name": "empty"}, "spec": {}})


def test_kubeconfig_is_private_and_has_one_context(cluster: Cluster) -> None:
    content = json.loads(cluster.kubeconfig.read_text())
    assert [one["name"] for one in content["contexts"]] == ["loco-dev"]
    assert content["clusters"][0]["cluster"]["server"] == cluster.url
    assert cluster.kubeconfig.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Refused, match="401"):
        Client(cluster.url, "guessed", cluster.kubeconfig.parent / "certificates/apiserver.crt").get("/api")


def test_start_again_changes_nothing(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    before = cluster.running()
    begin = time.monotonic()
    Cluster(cluster.kubeconfig.parent).start()
    assert time.monotonic() - begin < 3
    assert cluster.running() == before
    assert "running already" in capsys.readouterr().err


def test_dead_part_is_reported_and_nothing_is_left(
    tmp_path: Path, cluster_tools: Tools, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "with space"
    cluster = Cluster(state, "another-name", cluster_tools)
    cluster.start()
    processes = [one.pid for some in cluster.running().values() for one in some]
    assert len(processes) == len(PROGRAMS)
    assert '"another-name"' in cluster.kubeconfig.read_text()
    client = cluster.client()
    client.create("/api/v1/namespaces", {"metadata": {"name": "kept"}})

    # Another process finds a dead scheduler and restarts everything; the data stay.
    os.kill(cluster.running()["kube-scheduler"][0].pid, signal.SIGKILL)
    wait_until(lambda: "kube-scheduler" not in cluster.running())
    last_line = cluster.log("kube-scheduler").read_text().splitlines()[-1]
    capsys.readouterr()
    again = Cluster(state, "another-name", cluster_tools)
    again.start()
    said = capsys.readouterr().err
    assert "kube-scheduler died; its log ended with:" in said
    assert last_line in said
    assert set(again.running()) == set(PROGRAMS)
    assert again.client().get("/api/v1/namespaces/kept")

    Cluster(state).stop()
    assert again.running() == {}
    Cluster(state).stop()


@pytest.mark.parametrize("part", ["etcd", "kwok"])
def test_part_that_dies_at_start_ends_the_rest(tmp_path: Path, cluster_tools: Tools, part: str) -> None:
    broken = tmp_path / "broken" / part
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho first; echo 'no such luck' >&2; exit 3\n")
    broken.chmod(0o755)
    tools = replace(cluster_tools, programs={**cluster_tools.programs, part: broken})
    cluster = Cluster(tmp_path / "state", tools=tools)
    with pytest.raises(Problem) as failure:
        cluster.start()
    text = str(failure.value)
    assert text.startswith(f"{part} ended at once (exit code 3)")
    assert "    first\n    no such luck\n" in text
    assert str(cluster.log(part)) in text
    assert cluster.running() == {}


def test_stop_without_a_cluster_is_fine(tmp_path: Path) -> None:
    Cluster(tmp_path / "never").stop()
    assert not (tmp_path / "never").exists()
