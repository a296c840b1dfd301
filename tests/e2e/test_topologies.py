"""Every object of every topology is taken by a real API server, which is told to refuse any field that it doesn't know."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Refused
from tests.e2e.definitions import full_definitions, use, use_small_definitions
from tests.e2e.topology_table import DOCUMENTS, PROFILES, WITHOUT_TLS, plan_for
from tests.goldens.objects import collection, dry_run
from tests.workloads.topologies import TOPOLOGIES

pytestmark = pytest.mark.e2e

ROWS = [
    pytest.param(name, profile, tls, id=f"{name}-{profile}-{'tls' if tls else 'plain'}")
    for name in DOCUMENTS
    for profile in PROFILES
    for tls in (False, True)
    if not (tls and name in WITHOUT_TLS)
    # Under ``kserve`` there is always a certificate, so TLS changes little more.
    if not tls or profile == "safe" or name in TOPOLOGIES
]


def objects_of(name: str, profile: str, tls: bool) -> list[dict[str, Any]]:
    return [dict(manifest.data) for manifest in plan_for(name, profile, tls).manifests]


@pytest.mark.parametrize(("name", "profile", "tls"), ROWS)
def test_every_object_is_taken(name: str, profile: str, tls: bool, cluster: Cluster) -> None:
    objects = objects_of(name, profile, tls)
    assert len(dry_run(cluster, objects)) == len(objects) > 0


@pytest.fixture(scope="class")
def full(shared: Path, cluster: Cluster) -> Iterator[frozenset[str]]:
    """Kinds that the API server knows as their own projects define them."""
    definitions = full_definitions(shared / "crds")
    if not definitions:
        pytest.skip("the full definitions of custom resources are absent")
    try:
        use(cluster, definitions)
        yield frozenset(definition["spec"]["names"]["kind"] for definition in definitions)
    finally:
        use_small_definitions(cluster, [definition["metadata"]["name"] for definition in definitions])


class TestFullDefinitions:
    """What the small ones take as it comes, such as the pods of a group, the full ones judge."""

    @pytest.mark.parametrize(("name", "profile", "tls"), ROWS)
    def test_custom_resources_are_taken(
        self, name: str, profile: str, tls: bool, full: frozenset[str], cluster: Cluster
    ) -> None:
        dry_run(cluster, [item for item in objects_of(name, profile, tls) if item["kind"] in full])

    def test_the_table_holds_each(self, full: frozenset[str]) -> None:
        assert full == {"InferencePool", "LeaderWorkerSet", "ScaledObject"}
        kinds = {item["kind"] for name in DOCUMENTS for item in objects_of(name, "safe", False)}
        assert full <= kinds

    @pytest.mark.usefixtures("full")
    def test_a_wrong_pod_of_a_group_is_refused(self, cluster: Cluster) -> None:
        (group,) = (item for item in objects_of("multi", "safe", False) if item["kind"] == "LeaderWorkerSet")
        group = json.loads(json.dumps(group))
        group["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["hostNetwork"] = "yes"
        with pytest.raises(Refused, match="hostNetwork"):
            dry_run(cluster, [group])


def test_an_unknown_field_is_refused(cluster: Cluster) -> None:
    (deployment,) = (item for item in objects_of("no router", "safe", False) if item["kind"] == "Deployment")
    with pytest.raises(Refused, match="replica"):
        dry_run(cluster, [{**deployment, "spec": {**deployment["spec"], "replica": 1}}])


# What Kubernetes lets nobody change in place, as a change that it refuses; what a plan holds of the kind says so too.
IMMUTABLE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "Deployment": ("no router", "spec.selector", {"spec": {"selector": {"matchLabels": {"more": "x"}}}}),
    "RoleBinding": ("multi-multi", "roleRef", {"roleRef": {"name": "other"}}),
    "ClusterRoleBinding": ("single", "roleRef", {"roleRef": {"name": "other"}}),
    "ResourceClaimTemplate": ("devices", "spec", {"spec": {"metadata": {"labels": {"a": "b"}}}}),
    "PersistentVolumeClaim": ("companions", "spec.volumeMode", {"spec": {"volumeMode": "Block"}}),
}


@pytest.mark.parametrize("kind", IMMUTABLE)
def test_what_is_replaced_can_not_be_changed(kind: str, cluster: Cluster) -> None:
    """The other direction, that every kind has been thought of, needs no cluster."""
    name, path, change = IMMUTABLE[kind]
    (manifest, *_) = (found for found in plan_for(name).manifests if found.id.kind == kind)
    assert path in manifest.replace_on
    client, data = cluster.client(), json.loads(json.dumps(manifest.data))
    namespace = None
    if manifest.namespace:
        namespace = data["metadata"]["namespace"] = "immutable"
        client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    where = collection(manifest.id.api_version, kind, namespace)
    client.create(where, data)
    try:
        body = json.dumps(change).encode()
        with pytest.raises(Refused, match=r"immutable|cannot change roleRef"):
            client.call("PATCH", f"{where}/{manifest.name}?dryRun=All", body, "application/merge-patch+json")
    finally:
        client.delete(f"{where}/{manifest.name}")
