"""Who gets a serving certificate, and where it is mounted."""

from typing import Any

import pytest

from tests.plan.stacks import container_of, one, planned, pod_of

PATH = "/var/run/kserve/tls"


@pytest.mark.parametrize(
    ("profile", "tls", "certificate"),
    [("safe", False, False), ("safe", True, True), ("kserve", False, True), ("kserve", True, True)],
)
def test_certificate_is_made_and_mounted_together(profile: str, tls: bool, certificate: bool) -> None:
    plan = planned(profile=profile, platform={"tls": tls})
    mounts = [mount for mount in container_of(plan)["volumeMounts"] if mount["mountPath"] == PATH]
    volumes = [volume for volume in pod_of(plan)["volumes"] if volume["name"] == "tls-certs"]
    if not certificate:
        assert not mounts
        assert not volumes
        assert not plan.certificates
        assert not [manifest for manifest in plan.manifests if manifest.id.kind == "Secret"]
        return
    secret = one(plan, "Secret")
    assert secret.data["type"] == "kubernetes.io/tls"
    assert not secret.data.keys() & {"data", "stringData"}
    assert mounts == [{"name": "tls-certs", "mountPath": PATH, "readOnly": True}]
    assert volumes == [{"name": "tls-certs", "secret": {"secretName": secret.name}}]
    (made,) = plan.certificates
    assert made.secret == secret.id
    assert made.dns_names == (
        "chat-kserve-workload-svc.llm.svc",
        "chat-kserve-workload-svc.llm.svc.cluster.local",
        "localhost",
    )
    assert [(edge.before, edge.after) for edge in plan.edges] == [(secret.id, one(plan, "Deployment").id)]


@pytest.mark.parametrize("name", ["tls-certs", "mine"])
def test_what_a_user_mounts_there_stays(name: str) -> None:
    own: dict[str, Any] = {"name": name, "secret": {"secretName": "from-cert-manager"}}
    mount = {"name": name, "mountPath": PATH, "readOnly": True}
    spec = {"template": {"volumes": [own], "containers": [{"name": "main", "volumeMounts": [mount]}]}}
    plan = planned(spec, platform={"tls": True})
    assert own in pod_of(plan)["volumes"]
    assert [m for m in container_of(plan)["volumeMounts"] if m["mountPath"] == PATH] == [mount]
    names = [volume["name"] for volume in pod_of(plan)["volumes"]]
    assert len(names) == len(set(names))
