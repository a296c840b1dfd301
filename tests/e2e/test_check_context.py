"""``loco check --context`` on a real API server: what it misses, what it may not see, and what it never shows."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from loco import names
from tests.cli.check_world import INFRA, NS, VALUE, World, make_world, of_cluster
from tests.goldens.objects import collection

pytestmark = pytest.mark.e2e
pytest.importorskip("kubernetes")


@pytest.fixture(scope="module")
def world(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(cluster, tmp_path_factory.mktemp("check"))


def test_all_is_there(world: World) -> None:
    assert world.findings() == []


MISSING: dict[str, tuple[dict[str, str], list[tuple[str, str, str]]]] = {
    "secret": ({"SECRET": "nowhere"}, [("LOCO-MISSING", "error", f"no Secret nowhere in {NS}")]),
    "key": ({"KEY": "tokn"}, [("LOCO-MISSING", "error", f"Secret hf in {NS} has no key tokn; it has token")]),
    "pull secret": ({"PULL": "nowhere"}, [("LOCO-MISSING", "error", f"no Secret nowhere in {NS}")]),
    "pull secret of another type": ({"PULL": "hf"}, [("LOCO-MISSING", "error", "no key .dockerconfigjson")]),
    "account": ({"ACCOUNT": "nobody"}, [("LOCO-MISSING", "error", f"no ServiceAccount nobody in {NS}")]),
    "device": ({"DEVICE": "amd.com/gpu"}, [("LOCO-MISSING", "warning", "no node offers amd.com/gpu")]),
    "gateway": ({"GATEWAY": "nowhere"}, [("LOCO-MISSING", "error", f"no Gateway nowhere in {INFRA}")]),
    "section": (
        {"SECTION": "https"},
        [("LOCO-MISSING", "error", "no listener called https; it has http on 80, private on 81")],
    ),
    "admission": ({"SECTION": "private"}, [("LOCO-GATEWAY", "error", f"routes of its own namespace {INFRA} only")]),
    "gateway class": ({"GATEWAY": "classless"}, [("LOCO-MISSING", "error", "no GatewayClass check-nowhere")]),
    "controller": (
        {"GATEWAY": "waiting"},
        [("LOCO-GATEWAY", "error", "isn't accepted by its controller example.com/check")],
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing(world: World, name: str) -> None:
    changed, expected = MISSING[name]
    found = world.findings(**changed)
    assert [(finding["code"], finding["severity"]) for finding in found] == [(code, how) for code, how, _ in expected]
    for finding, (_, _, words) in zip(found, expected, strict=True):
        assert words in finding["message"]
        assert finding["origin"]["file"] == "chat.yaml"
        assert finding["object"]
        assert finding["path"]


def test_the_optional_secret_is_a_warning(world: World) -> None:
    done = world.check()
    assert done.returncode == 0
    [finding] = of_cluster(done)
    assert (finding["code"], finding["severity"]) == ("LOCO-MISSING", "warning")
    assert "absent-but-optional" in finding["message"]


def test_a_missing_namespace_and_all_that_should_be_in_it(world: World) -> None:
    messages = [finding["message"] for finding in world.findings(namespace="check-nowhere")]
    for thing in (
        "Namespace check-nowhere",
        "Secret hf",
        "Secret registry",
        "ServiceAccount runner",
        "ConfigMap settings",
    ):
        assert any(f"no {thing}" in message for message in messages)


def test_kinds_and_versions(world: World) -> None:
    metadata = {"name": "a", "namespace": NS}
    found = world.ask(
        {"apiVersion": "example.com/v1", "kind": "Nothing", "metadata": metadata},
        {"apiVersion": "inference.networking.k8s.io/v9", "kind": "InferencePool", "metadata": metadata},
        {"apiVersion": "inference.networking.k8s.io/v1", "kind": "InferencePool", "metadata": metadata},
        {"apiVersion": "apps/v9", "kind": "Deployment", "metadata": metadata},
    )
    assert [finding.message for finding in found] == [
        "the cluster doesn't know the kind Nothing of example.com/v1",
        "the cluster serves InferencePool as v1, and not as v9",
        "the cluster serves Deployment as v1, and not as v9",
    ]
    assert {(finding.code, finding.severity) for finding in found} == {("LOCO-MISSING", "error")}
    assert "kubectl apply -f CRDS" in found[0].cure
    assert "a cluster whose Kubernetes" in found[2].cure


def test_classes_of_storage_and_devices(world: World) -> None:
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a", "namespace": NS}}
    pod = {
        "priorityClassName": "system-cluster-critical",
        "runtimeClassName": "nowhere",
        "containers": [{"name": "c"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "nowhere"}}],
    }
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t", "namespace": NS},
        "spec": {"spec": {"devices": {"requests": [{"name": "g", "exactly": {"deviceClassName": "nowhere"}}]}}},
    }
    world.create(
        "v1",
        "PersistentVolume",
        None,
        "check-volume",
        spec={
            "storageClassName": "check-by-hand",
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/nowhere"},
        },
    )
    found = world.ask(
        {**claim, "spec": {"storageClassName": "check-fast"}},
        {**claim, "metadata": {"name": "b", "namespace": NS}, "spec": {}},
        {**claim, "metadata": {"name": "c", "namespace": NS}, "spec": {"storageClassName": "check-by-hand"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": NS}, "spec": pod},
        template,
    )
    assert [finding.message for finding in found] == [
        "there is no RuntimeClass nowhere",
        f"there is no PersistentVolumeClaim nowhere in {NS}",
        "there is no DeviceClass nowhere",
        "there is no StorageClass check-fast, nor a volume of that class",
        "the claim names no StorageClass, and none is the default",
    ]
    assert world.ask({**claim, "spec": {"storageClassName": "check-by-hand"}}) == []


# ---------------------------------------------------------------- users with few rights
@pytest.fixture
def login(world: World, tmp_path: Path) -> Callable[..., Path]:
    """Writes a kubeconfig with another user of the same cluster."""

    def write(**user: Any) -> Path:
        config = yaml.safe_load(world.kubeconfig.read_text())
        given = {} if "token" in user else config["users"][0]["user"]
        config["users"][0]["user"] = {**given, **user}
        path = tmp_path / "kubeconfig"
        path.write_text(yaml.safe_dump(config))
        return path

    return write


def _grant(world: World, subject: dict[str, str], name: str) -> None:
    """May read namespaces' plain objects, and neither Secrets nor anything of the whole cluster."""
    rules = [
        {"apiGroups": [""], "resources": ["configmaps", "serviceaccounts", "services"], "verbs": ["get"]},
        {"apiGroups": ["inference.networking.k8s.io"], "resources": ["*"], "verbs": ["get"]},
    ]
    group = "rbac.authorization.k8s.io"
    world.create(f"{group}/v1", "Role", NS, name, rules=rules)
    role = {"apiGroup": group, "kind": "Role", "name": name}
    world.create(f"{group}/v1", "RoleBinding", NS, name, roleRef=role, subjects=[subject])


def _assert_only_unchecked(found: list[dict[str, Any]]) -> None:
    assert {(finding["code"], finding["severity"]) for finding in found} == {("LOCO-UNCHECKED", "warning")}
    messages = "\n".join(finding["message"] for finding in found)
    for thing in (
        f"Namespace {NS}",
        f"Secret absent-but-optional, hf, registry in {NS}",
        "Gateway shared",
        "Node",
        "ClusterRole",
    ):
        assert f"could not check {thing}" in messages
    assert "forbidden" in messages
    assert all("kubectl auth can-i" in finding["cure"] for finding in found)


def test_an_account_that_may_read_little(world: World, login: Callable[..., Path]) -> None:
    world.create("v1", "ServiceAccount", NS, "looker")
    _grant(world, {"kind": "ServiceAccount", "name": "looker", "namespace": NS}, "looker")
    answer = world.client.call("POST", f"{collection('v1', 'ServiceAccount', NS)}/looker/token", b"{}")
    done = world.check(kubeconfig=login(token=json.loads(answer)["status"]["token"]))
    assert done.returncode == 0, "what could not be checked is no error"
    _assert_only_unchecked(of_cluster(done))


def test_impersonation(world: World, login: Callable[..., Path]) -> None:
    """``as:`` is honoured: the administrator who asks as somebody else sees no more than they do."""
    _grant(world, {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "lookers"}, "lookers")
    path = login(**{"as": "somebody", "as-groups": ["others", "lookers"]})
    done = world.check(kubeconfig=path)
    assert done.returncode == 0
    _assert_only_unchecked(of_cluster(done))
    assert 'User "somebody"' in done.stdout.replace("\\", "")


def test_a_user_whom_the_cluster_does_not_know(world: World, login: Callable[..., Path]) -> None:
    *_, finding = world.findings(kubeconfig=login(token="stale"))
    assert (finding["code"], finding["severity"]) == ("LOCO-UNREACHABLE", "error")
    assert "doesn't accept the credentials" in finding["message"]


def test_a_port_that_nobody_listens_on(world: World, tmp_path: Path) -> None:
    config = yaml.safe_load(world.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    *_, finding = world.findings(kubeconfig=path)
    assert finding["code"] == "LOCO-UNREACHABLE"
    assert "refused" in finding["message"]


def test_a_certificate_of_somebody_else(world: World, tmp_path: Path) -> None:
    config = yaml.safe_load(world.kubeconfig.read_text())
    del config["clusters"][0]["cluster"]["certificate-authority-data"]
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    *_, finding = world.findings(kubeconfig=path)
    assert finding["code"] == "LOCO-UNREACHABLE"
    assert "certificate" in finding["message"]


# ---------------------------------------------------------------- what it never does
def test_no_secret_value_is_shown(world: World) -> None:
    encoded = base64.b64encode(VALUE.encode()).decode().rstrip("=")
    shown = ""
    for changed in ({}, {"KEY": "tokn"}, {"PULL": "hf"}, {"SECRET": "registry"}):
        for output in ("text", "json"):
            done = world.check(output=output, **changed)
            shown += done.stdout + done.stderr
    assert "Secret hf" in shown, "so that the search can fail"
    assert VALUE not in shown
    assert encoded not in shown


def test_of_a_secret_only_the_keys_are_kept(world: World) -> None:
    from loco.cli.cluster.kubeconfig import open_cluster
    from loco.cli.cluster.need import Thing
    from loco.cli.cluster.reader import Found

    found = open_cluster("loco-test", world.kubeconfig).get(Thing("", "Secret", NS, "hf"))
    assert isinstance(found, Found)
    assert found.data == {"metadata": {}, "data": {"token": None}}


def test_nothing_is_written(world: World) -> None:
    """An administrator's check leaves the namespace as it was."""
    kinds = ("ConfigMap", "Secret", "ServiceAccount", "Service", "Pod")

    def state() -> list[str]:
        return [
            item["metadata"]["uid"] + item["metadata"]["resourceVersion"]
            for kind in kinds
            for item in world.client.get(collection("v1", kind, NS))["items"]
        ]

    before = state()
    world.check()
    assert state() == before


def test_of_a_secret_the_reader_keeps_its_keys_and_its_maker(world: World) -> None:
    from loco.cli.cluster.kubeconfig import open_cluster
    from loco.cli.cluster.need import Thing
    from loco.cli.cluster.reader import Found

    annotations = {names.MADE_BY: "serving/dev", "kubectl.kubernetes.io/last-applied-configuration": VALUE}
    value = base64.b64encode(VALUE.encode()).decode()
    path = collection("v1", "Secret", NS)
    metadata = {"name": "made", "annotations": annotations}
    world.client.create(path, {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"token": value}})
    read = open_cluster("loco-test", world.kubeconfig).get(Thing("", "Secret", NS, "made"))
    assert read == Found({"metadata": {"annotations": {names.MADE_BY: "serving/dev"}}, "data": {"token": None}})
