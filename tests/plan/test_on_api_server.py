"""Whole plans against a real API server: every object is taken, every pod passes where restricted is enforced."""

from typing import Any

import pytest

from dev.cluster import Cluster
from loco.model import Manifest
from loco.plan import Plan
from tests.gateway.configs import header, key
from tests.goldens.objects import dry_run
from tests.plan.stacks import external, gateway, plan_of, service

pytestmark = pytest.mark.e2e

RESTRICTED = {
    "pod-security.kubernetes.io/enforce": "restricted",
    "pod-security.kubernetes.io/enforce-version": "latest",
}
CREDENTIALS = {"config": {"token": {"config": "x"}}, "theirs": {"token": {"existing": True}}}


def full(profile: str, tls: bool, name: str) -> Plan:
    router = {
        "route": {},
        "gateway": {"refs": [{"name": "a"}, {"name": "b", "namespace": "n", "sectionName": "s"}]},
        "scheduler": {"replicas": 2, "labels": {"team": "a"}, "annotations": {"note": "b"}},
    }
    auth = {**key("config"), "headers": [header("X-Key", "theirs"), header("X-Team", value="a")]}
    plan = plan_of(
        service({"router": router}, name=name),
        external({"auth": auth}, name),
        gateway({"fallbacks": [{name: ["tiny"]}]}, name),
        profile=profile,
        platform={"tls": tls, "gateway": {"name": "a", "namespace": "llm", "internalURL": "http://a"}},
        credentials=CREDENTIALS,
    )
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return plan


def made_of(plan: Plan) -> list[dict[str, Any]]:
    return [dict(manifest.data) for manifest in plan.manifests]


@pytest.mark.parametrize("name", ["chat", "m" * 63])
@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("profile", ["safe", "kserve"])
def test_every_object_is_taken(cluster: Cluster, profile: str, tls: bool, name: str) -> None:
    plan = full(profile, tls, name)
    assert len(plan.manifests) > 12
    assert len(dry_run(cluster, made_of(plan))) == len(plan.manifests)


@pytest.mark.parametrize("tls", [False, True])
def test_every_pod_passes_where_restricted_is_enforced(cluster: Cluster, tls: bool) -> None:
    deployments = [manifest for manifest in full("safe", tls, "chat").manifests if manifest.id.kind == "Deployment"]
    assert len(deployments) == 3
    cluster.client().create("/api/v1/namespaces", {"metadata": {"name": "restricted", "labels": RESTRICTED}})
    dry_run(cluster, [pod_of(deployment) for deployment in deployments])


def pod_of(deployment: Manifest) -> dict[str, Any]:
    spec = {**deployment.data["spec"]["template"]["spec"], "serviceAccountName": "default"}
    metadata = {"name": deployment.name, "namespace": "restricted"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
