"""Secrets that somebody else keeps: read from the cluster, and missing ones that don't block."""

import base64
import json
from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

NAMESPACE = "existing"
DOCUMENTS = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: claude}
spec:
  provider: anthropic
  model: claude-sonnet
  url: https://api.anthropic.com
  auth: {apiKey: {secretRef: {name: anthropic, key: token}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1}
"""


def write_secret(cluster: Cluster, **values: str) -> None:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "anthropic"}, "data": data}
    path = f"/api/v1/namespaces/{NAMESPACE}/secrets/anthropic"
    cluster.client().apply(path, json.dumps(body).encode())


def digest(cluster: Cluster) -> str:
    (deployment,) = objects(cluster, "apps/v1", "Deployment", NAMESPACE)
    annotations = deployment["spec"]["template"]["metadata"]["annotations"]
    return str(annotations["locostack.com/digest.anthropic"])


def test_life_of_an_existing_secret(make_project: Callable[..., Project], cluster: Cluster) -> None:
    project = make_project(
        {"all.yaml": DOCUMENTS}, namespace=NAMESPACE, credentials={"anthropic": {"token": {"existing": True}}}
    )
    missing = project.up()
    assert "LOCO-CREDENTIAL" in missing.stdout + missing.stderr
    assert f"{NAMESPACE}/anthropic" in missing.stdout + missing.stderr
    pods, empty = ready_pods(cluster, NAMESPACE), digest(cluster)
    assert len(pods) == 1, "a missing Secret of one model must not keep the others from being served"
    project.preview("--expect-no-changes")

    write_secret(cluster, token="sk-ant-one-of-the-test", other="a")
    told = project.up()
    rolled, present = ready_pods(cluster, NAMESPACE), digest(cluster)
    assert "LOCO-CREDENTIAL" not in told.stdout + told.stderr
    assert present != empty
    assert not pods.keys() & rolled.keys()
    project.preview("--expect-no-changes")

    write_secret(cluster, token="sk-ant-one-of-the-test", other="b")
    project.up()
    assert ready_pods(cluster, NAMESPACE) == rolled, "an unrelated key rolls nothing"

    write_secret(cluster, token="sk-ant-two-of-the-test", other="b")
    told = project.up()
    assert digest(cluster) != present
    assert not ready_pods(cluster, NAMESPACE).keys() & rolled.keys()

    state = project.raw_state() + told.stdout + told.stderr
    for value in ("sk-ant-one-of-the-test", "sk-ant-two-of-the-test"):
        assert value not in state
        assert base64.b64encode(value.encode()).decode() not in state
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
