"""An update that is killed while it brings a new secret: the next one ends what it began, and nothing is lost."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects, ready_pods
from tests.e2e.conftest import Project
from tests.e2e.test_life_of_topologies import kill_in_the_middle

pytestmark = pytest.mark.e2e

NAMESPACE = "interrupted"
DOCUMENTS = """\
apiVersion: locostack.com/v1alpha1
kind: ExternalModel
metadata: {name: gpt}
spec:
  provider: openai
  model: gpt-4o-mini
  url: https://api.openai.com/v1
  auth: {apiKey: {secretRef: {name: openai, key: token}}}
---
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main}
spec: {replicas: 1}
"""
TOKEN, MASTER = ("openai", "token"), ("main-litellm-master-key", "master-key")


def values(cluster: Cluster) -> dict[tuple[str, str], str]:
    return {
        (item["metadata"]["name"], key): base64.b64decode(value).decode()
        for item in objects(cluster, "v1", "Secret", NAMESPACE)
        for key, value in item.get("data", {}).items()
    }


def annotations(cluster: Cluster) -> dict[str, Any]:
    [deployment] = objects(cluster, "apps/v1", "Deployment", NAMESPACE)
    return dict(deployment["spec"]["template"]["metadata"]["annotations"])


def test_a_rotation_that_is_killed(make_project: Callable[..., Project], cluster: Cluster) -> None:
    project = make_project(
        {"all.yaml": DOCUMENTS}, namespace=NAMESPACE, credentials={"openai": {"token": {"config": "openaiToken"}}}
    )
    project.set_secrets(openaiToken="sk-first-of-the-interrupted")
    project.up()
    first, pods, stated = values(cluster), ready_pods(cluster, NAMESPACE), annotations(cluster)

    project.set_secrets(openaiToken="sk-second-of-the-interrupted")
    project.configure(rotation={"masterKeys": "2026-12"})
    kill_in_the_middle(project, lambda: values(cluster)[MASTER] != first[MASTER])
    project.pulumi("cancel", "--yes", "--stack", "dev")
    killed = values(cluster)
    project.up()

    last = values(cluster)
    assert last[TOKEN] == "sk-second-of-the-interrupted"
    assert last[MASTER] not in (first[MASTER], "")
    now = annotations(cluster)
    names = ("configHash", "digest.master-key", "digest.openai")
    assert all(now[f"locostack.com/{name}"] != stated[f"locostack.com/{name}"] for name in names)
    after = ready_pods(cluster, NAMESPACE)
    assert len(after) == 1
    assert not after.keys() & pods.keys()
    project.preview("--expect-no-changes", "--refresh")

    state = project.raw_state()
    for seen in (first, killed, last):
        assert [key for key, value in seen.items() if value in state] == []
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
