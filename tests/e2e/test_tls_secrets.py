"""A stack with TLS: its private key is in the cluster, encrypted in the state, and nowhere else."""

import base64
from collections.abc import Callable

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project

pytestmark = pytest.mark.e2e

MODEL = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec: {model: {uri: "hf://org/tiny"}, replicas: 1}
"""


def test_private_key_stays_secret_and_stays_the_same(make_project: Callable[..., Project], cluster: Cluster) -> None:
    project = make_project({"tiny.yaml": MODEL}, namespace="tls", platform={"tls": True})
    said = [project.preview("--diff"), project.up(), project.preview("--expect-no-changes")]
    (secret,) = [s for s in objects(cluster, "v1", "Secret", "tls") if s["type"] == "kubernetes.io/tls"]
    key = base64.b64decode(secret["data"]["tls.key"])
    assert key.startswith(b"-----BEGIN PRIVATE KEY-----")
    assert len(ready_pods(cluster, "tls")) == 1

    project.write("models/tiny.yaml", MODEL.replace("replicas: 1", "replicas: 2"))
    said += [project.preview("--diff"), project.up(), project.pulumi("stack", "output", "--stack", "dev")]
    (again,) = [s for s in objects(cluster, "v1", "Secret", "tls") if s["type"] == "kubernetes.io/tls"]
    assert again["data"] == secret["data"]

    body = key.splitlines()[1].decode()
    told = "\n".join(run.stdout + run.stderr for run in said)
    for place, text in (("what was printed", told), ("the raw state", project.raw_state())):
        for form in (body, base64.b64encode(key).decode()[:60], base64.b64encode(body.encode()).decode()[:40]):
            assert form not in text, f"the key is in {place}"
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
