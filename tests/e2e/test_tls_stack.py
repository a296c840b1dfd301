"""A stack with TLS lives: another tokenizer, a rotation, and nothing left at the end. Keys are nowhere to be read."""

import base64
import json
import ssl
from collections.abc import Callable
from typing import Any

import pytest
from cryptography import x509

from dev.cluster import Cluster
from tests.e2e.cluster_facts import objects
from tests.e2e.conftest import Project
from tests.e2e.events import finished

pytestmark = pytest.mark.e2e

MODEL = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: tiny}
spec:
  model: {uri: "hf://org/tiny"}
  replicas: 1
  prefill: {replicas: 1}
  router: {scheduler: {}}
"""
TOKENIZED = MODEL.replace("scheduler: {}", "scheduler: {tokenizer: {}}")
GATEWAY = """\
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata: {name: main, namespace: front}
spec: {replicas: 1}
"""
SECRET, NAMESPACE = "tiny-kserve-self-signed-certs", "tls-stack"
PICKER, DECODE, PREFILL = "tiny-kserve-router-scheduler", "tiny-kserve", "tiny-kserve-prefill"
FRONT = "main-litellm"


def one(cluster: Cluster, api_version: str, kind: str, name: str, namespace: str = NAMESPACE) -> dict[str, Any]:
    (found,) = [made for made in objects(cluster, api_version, kind, namespace) if made["metadata"]["name"] == name]
    return dict(found)


class Seen:
    """What stands on the cluster at one moment."""

    def __init__(self, cluster: Cluster) -> None:
        secret = one(cluster, "v1", "Secret", SECRET)
        self.uid = secret["metadata"]["uid"]
        self.files = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
        copied = one(cluster, "v1", "ConfigMap", "main-litellm-authorities", "front")
        self.trusted: dict[str, str] = copied["data"]
        self.generations = {
            name: one(cluster, "apps/v1", "Deployment", name, space)["metadata"]["generation"]
            for name, space in ((PICKER, NAMESPACE), (DECODE, NAMESPACE), (PREFILL, NAMESPACE), (FRONT, "front"))
        }

    @property
    def hosts(self) -> set[str]:
        leaf = x509.load_pem_x509_certificate(self.files["tls.crt"].encode())
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return set(names.get_values_for_type(x509.DNSName))

    def rolled_since(self, before: "Seen") -> set[str]:
        return {name for name, number in self.generations.items() if number != before.generations[name]}

    def holds_together(self) -> None:
        issuer, leaf = (x509.load_pem_x509_certificate(self.files[key].encode()) for key in ("ca.crt", "tls.crt"))
        leaf.verify_directly_issued_by(issuer)
        ssl.create_default_context(cadata=self.files["ca.crt"])
        assert self.trusted == {f"{NAMESPACE}.tiny.crt": self.files["ca.crt"]}


def test_certificates_follow_the_plan(make_project: Callable[..., Project], cluster: Cluster) -> None:
    project = make_project(
        {"tiny.yaml": MODEL, "gateway.yaml": GATEWAY},
        namespace=NAMESPACE,
        platform={"tls": True},
        overrides={"LiteLLMGateway/main": {"spec": {"via": "service"}}},
    )
    said = [project.preview("--diff"), project.up(), project.preview("--expect-no-changes")]
    said.append(project.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes", "--stack", "dev"))
    first = Seen(cluster)
    first.holds_together()
    assert "localhost" in first.hosts
    assert f"tiny-kserve-decode-svc.{NAMESPACE}.svc" in first.hosts
    assert not any("tokenizer" in host for host in first.hosts)

    project.write("models/tiny.yaml", TOKENIZED)
    said.append(project.preview("--diff"))
    events = project.events("up")
    tokenized = Seen(cluster)
    tokenized.holds_together()
    assert tokenized.hosts - first.hosts == {
        f"tiny-tokenizer.{NAMESPACE}.svc",
        f"tiny-tokenizer.{NAMESPACE}.svc.cluster.local",
    }
    assert tokenized.uid == first.uid, "changed in place"
    assert tokenized.files["tls.key"] != first.files["tls.key"]
    assert tokenized.files["ca.crt"] == first.files["ca.crt"], "whoever trusts it needs no new start"
    assert tokenized.rolled_since(first) <= {PICKER}, "no engine and no gateway for another name in a certificate"
    assert [urn for urn in finished(events, "update") if urn.endswith(SECRET)]
    said.append(project.preview("--expect-no-changes"))

    project.configure(rotation={"certificates": "2026-12"})
    said.append(project.preview("--diff"))
    said.append(project.up())
    rotated = Seen(cluster)
    rotated.holds_together()
    assert rotated.uid == first.uid
    assert rotated.hosts == tokenized.hosts
    assert rotated.files["ca.crt"] != tokenized.files["ca.crt"]
    # Prefill engines reload; those that read authorities once, and the gateway, are started anew.
    assert rotated.rolled_since(tokenized) == {PICKER, DECODE, FRONT}
    said.append(project.preview("--expect-no-changes"))
    kept = [found["urn"].rpartition("::")[2] for found in project.resources() if found["type"] == "pulumi:index:Stash"]
    assert len([name for name in kept if name.startswith(("certificate/", "authority/"))]) == 2, "the old ones are gone"

    said.append(project.pulumi("stack", "output", "--stack", "dev"))
    told = "\n".join([run.stdout + run.stderr for run in said] + [json.dumps(events)])
    for seen in (first, tokenized, rotated):
        key = seen.files["tls.key"]
        assert key.startswith("-----BEGIN PRIVATE KEY-----")
        body = key.splitlines()[1]
        for place, text in (("what was printed", told), ("the raw state", project.raw_state())):
            for form in (
                body,
                base64.b64encode(key.encode()).decode()[:60],
                base64.b64encode(body.encode()).decode()[:40],
            ):
                assert form not in text, f"the key is in {place}"
    assert "BEGIN PRIVATE KEY" not in told + project.raw_state(), "nor that of an authority"

    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert project.resources() == []
    for namespace in (NAMESPACE, "front"):
        left = [kind for kind in ("Secret", "ConfigMap") for _ in objects(cluster, "v1", kind, namespace)]
        assert set(left) <= {"ConfigMap"}  # Kubernetes' own, while the namespace goes


def test_a_protected_stack_may_rotate_too(make_project: Callable[..., Project], cluster: Cluster) -> None:
    single = MODEL.replace("  prefill: {replicas: 1}\n", "").replace("  router: {scheduler: {}}\n", "")
    config = {"namespace": "tls-kept", "platform": {"tls": True}, "deletionProtection": True}
    project = make_project({"tiny.yaml": single}, **config)
    project.up()
    before = one(cluster, "v1", "Secret", SECRET, "tls-kept")
    project.configure(rotation={"certificates": "1"})
    project.up()
    after = one(cluster, "v1", "Secret", SECRET, "tls-kept")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["data"]["ca.crt"] != before["data"]["ca.crt"]
    project.configure(deletionProtection=False)
    project.up()
    project.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
