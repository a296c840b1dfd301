"""Every pod template passes a namespace that enforces the restricted pod security standard."""

import copy
import json

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Refused
from loco.plan import plan_stack
from loco.spec import StackSpec, read_stack
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.e2e

NAMESPACE = "restricted"
LABELS = {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "latest"}


def create(cluster: Cluster, pod: dict[str, object]) -> None:
    client = cluster.client()
    client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": LABELS}})
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "probe"},
        "spec": {**pod, "serviceAccountName": "default"},
    }
    client.call(
        "POST", f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All&fieldValidation=Strict", json.dumps(body).encode()
    )


def templates(spec: StackSpec) -> list[dict[str, object]]:
    plan = plan_stack(spec)
    assert not plan.errors
    return [
        copy.deepcopy(manifest.data["spec"]["template"]["spec"])
        for manifest in plan.manifests
        if "template" in manifest.data.get("spec", {})
    ]


def stack(tls: bool) -> StackSpec:
    config = {
        "files": ["models/opt-125m.yaml"] if tls else ["models/*.yaml"],  # a gateway can't mount the CA yet
        "namespace": NAMESPACE,
        "cluster": {"context": "c"},
        "platform": {"tls": tls, "gateway": {"name": "g", "namespace": "n", "internalURL": "http://g.n.svc"}},
        "credentials": {} if tls else {"openai": {"token": {"existing": True}}},
    }
    return read_stack(REPOSITORY, config)


@pytest.mark.parametrize("tls", [False, True])
def test_accepted(tls: bool, cluster: Cluster) -> None:
    found = templates(stack(tls))
    assert found
    for pod in found:
        create(cluster, pod)


def test_a_weak_template_is_refused(cluster: Cluster) -> None:
    (pod, *_) = templates(stack(False))
    pod["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True  # type: ignore[index]
    with pytest.raises(Refused, match="violates PodSecurity"):
        create(cluster, pod)
