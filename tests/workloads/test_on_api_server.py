"""The rules of this room against a real API server: what loco refuses, it refuses; what loco takes, it takes."""

from importlib import import_module
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from dev.cluster.client import Refused
from loco.workloads import engine_pod
from tests.goldens.objects import dry_run
from tests.plan.stacks import container_of, found, one, planned
from tests.workloads.test_pod_rules import ACCEPTED, REFUSED
from tests.workloads.test_security import WEAK, WEAK_CONTAINER

pytestmark = pytest.mark.e2e

PROFILES = ("safe", "kserve")
RESTRICTED = {
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/enforce-version": "latest",
}


def send(cluster: Cluster, template: dict[str, Any], profile: str) -> None:
    dry_run(cluster, [dict(one(planned({"template": template}, profile=profile), "Deployment").data)])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("template", ACCEPTED)
def test_accepted_pod_is_accepted(cluster: Cluster, template: dict[str, Any], profile: str) -> None:
    send(cluster, template, profile)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("template", "path"), REFUSED)
def test_refused_pod_is_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, template: dict[str, Any], path: str, profile: str
) -> None:
    # Without loco's own judgement, here and of the merged spec, the API server has the word.
    monkeypatch.setattr(engine_pod, "refused_pod", lambda pod, resolved, place: [])
    monkeypatch.setattr(import_module("loco.layers.resolve"), "_broken", lambda document, spec, upper: [])
    with pytest.raises(Refused) as refused:
        send(cluster, template, profile)
    assert refused.value.status in (400, 422)


def weak_pods() -> list[Any]:
    pods = [pytest.param(yaml.safe_load(written), id=path) for written, path, _ in WEAK]
    for written, path, _ in WEAK_CONTAINER:
        side = {"name": "side", "image": "x", **yaml.safe_load(written)}
        pods.append(pytest.param({"containers": [side]}, id=f"side.{path}"))
    return pods


@pytest.mark.parametrize("template", weak_pods())
def test_weak_pod_is_acceptable_and_refused_where_restricted_is_enforced(
    cluster: Cluster, template: dict[str, Any]
) -> None:
    plan = planned({"template": template})
    assert found(plan, "LOCO-WEAK-SECURITY")
    deployment = dict(one(plan, "Deployment").data)
    if "hostProcess" not in str(template) and "procMount" not in str(template):  # those need more of the pod to agree
        dry_run(cluster, [deployment])
    with pytest.raises(Refused):
        dry_run(cluster, [restricted_pod(cluster, deployment)])


def test_filled_in_pod_passes_where_restricted_is_enforced(cluster: Cluster) -> None:
    init = {"name": "init", "image": "x"}
    template = {"initContainers": [init, {"name": "side", "image": "x", "restartPolicy": "Always"}]}
    plan = planned({"template": template}, platform={"tls": True})
    assert container_of(plan, "side")
    dry_run(cluster, [restricted_pod(cluster, dict(one(plan, "Deployment").data))])


def restricted_pod(cluster: Cluster, deployment: dict[str, Any]) -> dict[str, Any]:
    cluster.client().create("/api/v1/namespaces", {"metadata": {"name": "restricted", "labels": RESTRICTED}})
    spec = {**deployment["spec"]["template"]["spec"], "serviceAccountName": "default"}
    metadata = {"name": "probe", "namespace": "restricted"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
