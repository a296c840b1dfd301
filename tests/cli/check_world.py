"""A namespace on a real cluster in which a service finds all that it counts on, for tests/e2e/test_check_context.py."""

import base64
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.cluster import Cluster
from dev.cluster.client import Client
from loco.model import Finding, Manifest
from loco.model.origin import DERIVED
from tests.goldens.objects import collection

NS = "check-context"
INFRA = "check-infra"
GATEWAYS = "gateway.networking.k8s.io/v1"
VALUE = "a-value-that-nobody-may-see"
SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: hf://a/b}
  replicas: 1
  template:
    serviceAccountName: ACCOUNT
    imagePullSecrets: [{name: PULL}]
    containers:
      - name: main
        image: registry.example/vllm:v1
        env:
          - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
          - {name: WANDB, valueFrom: {secretKeyRef: {name: absent-but-optional, key: k, optional: true}}}
        envFrom: [{configMapRef: {name: settings}}]
        resources: {limits: {DEVICE: 1}}
  router: {route: {}, scheduler: {}, gateway: {refs: [{name: GATEWAY, namespace: check-infra, sectionName: SECTION}]}}
"""
# As it is when nothing is missing but what is optional.
GOOD = {
    "ACCOUNT": "runner",
    "PULL": "registry",
    "SECRET": "hf",
    "KEY": "token",
    "DEVICE": "nvidia.com/gpu",
    "GATEWAY": "shared",
    "SECTION": "http",
}


@dataclass
class World:
    """A namespace in which everything is there, and the command run against it."""

    client: Client
    folder: Path
    kubeconfig: Path

    def create(self, api_version: str, kind: str, namespace: str | None, name: str, **rest: Any) -> None:
        document = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest}
        self.client.create(plural(api_version, kind, namespace), document)

    def check(
        self, *, kubeconfig: Path | None = None, output: str = "json", namespace: str = NS, **changed: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs the command on the service with some words of it changed."""
        text = SERVICE
        for word, value in {**GOOD, **changed}.items():
            text = text.replace(word, value)
        (self.folder / "chat.yaml").write_text(text)
        command = [sys.executable, "-m", "loco.cli.main", "check", "chat.yaml", "--namespace", namespace]
        command += ["--context", "loco-test", "--kubeconfig", str(kubeconfig or self.kubeconfig), "-o", output]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False, env=dict(os.environ)
        )

    def findings(self, **options: Any) -> list[dict[str, Any]]:
        """What is said beyond the optional Secret, with the exit status checked."""
        done = self.check(**options)
        assert done.stderr == ""
        found = json.loads(done.stdout)
        assert done.returncode == int(any(finding["severity"] == "error" for finding in found))
        return [finding for finding in of_cluster(done) if "absent-but-optional" not in finding["message"]]

    def ask(self, *objects: dict[str, Any]) -> list[Finding]:
        """The same for any manifests, past the planner."""
        from loco.cli.cluster.check import check_against_cluster
        from loco.cli.cluster.kubeconfig import open_cluster

        reader = open_cluster("loco-test", self.kubeconfig)
        return check_against_cluster([Manifest(data, None, DERIVED) for data in objects], reader)


def of_cluster(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The findings about the cluster; the plan's own are not the matter here."""
    codes = {"LOCO-MISSING", "LOCO-GATEWAY", "LOCO-UNCHECKED", "LOCO-UNREACHABLE"}
    return [finding for finding in json.loads(done.stdout) if finding["code"] in codes]


def plural(api_version: str, kind: str, namespace: str | None) -> str:
    path = collection(api_version, kind, namespace)
    return path.removesuffix("classs") + "classes" if path.endswith("classs") else path


def _listener(name: str, port: int, source: str) -> dict[str, Any]:
    return {"name": name, "port": port, "protocol": "HTTP", "allowedRoutes": {"namespaces": {"from": source}}}


def make_world(cluster: Cluster, folder: Path) -> World:
    """Fills the cluster with all that the service counts on, and with what is subtly wrong."""
    made = World(cluster.client(), folder, cluster.kubeconfig)
    for namespace in (NS, INFRA):
        made.create("v1", "Namespace", None, namespace)
    made.create("v1", "ServiceAccount", NS, "runner")
    value = base64.b64encode(VALUE.encode()).decode()
    note = {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": VALUE}}
    made.create("v1", "Secret", NS, "hf", data={"token": value})
    made.client.call(
        "PATCH",
        f"{collection('v1', 'Secret', NS)}/hf",
        json.dumps({"metadata": note}).encode(),
        "application/merge-patch+json",
    )
    pull = base64.b64encode(json.dumps({"auths": {"registry.example": {"password": VALUE}}}).encode()).decode()
    made.create("v1", "Secret", NS, "registry", type="kubernetes.io/dockerconfigjson", data={".dockerconfigjson": pull})
    made.create("v1", "ConfigMap", NS, "settings", data={"a": VALUE})
    for name in ("check-accepted", "check-forgotten"):
        made.create(GATEWAYS, "GatewayClass", None, name, spec={"controllerName": "example.com/check"})
    accepted = {
        "type": "Accepted",
        "status": "True",
        "reason": "Accepted",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    made.client.call(
        "PATCH",
        f"{plural(GATEWAYS, 'GatewayClass', None)}/check-accepted/status",
        json.dumps({"status": {"conditions": [accepted]}}).encode(),
        "application/merge-patch+json",
    )
    listeners = [_listener("http", 80, "All"), _listener("private", 81, "Same")]
    for name, of_class in (
        ("shared", "check-accepted"),
        ("classless", "check-nowhere"),
        ("waiting", "check-forgotten"),
    ):
        made.create(GATEWAYS, "Gateway", INFRA, name, spec={"gatewayClassName": of_class, "listeners": listeners})
    return made
