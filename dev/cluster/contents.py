"""What a new cluster holds: two fake GPU nodes, and the custom resources that a stack uses."""

import re
from pathlib import Path
from typing import Any

from dev.cluster.client import Client, Refused
from dev.cluster.parts import FAKE_NODE
from dev.messages import Problem
from dev.toolchain import Tools

OWN_CRDS = Path(__file__).resolve().parent / "crds"
CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NODES = ("loco-node-0", "loco-node-1")
RESOURCES = {
    "cpu": "64",
    "memory": "512Gi",
    "ephemeral-storage": "1Ti",
    "pods": "110",
    "nvidia.com/gpu": "8",
}


def release_nodes(client: Client) -> None:
    """Drop the leases of an earlier kwok; a new one would wait for 40 s until they run out."""
    for name in NODES:
        client.delete(f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{name}")


def fill(client: Client, tools: Tools) -> None:
    """Apply everything; repeating it changes nothing."""
    for name in NODES:
        client.create("/api/v1/nodes", node(name))
    for path in [*_crd_files(tools.data_folder("gateway-api-crds")), *_crd_files(OWN_CRDS)]:
        text = path.read_text()
        if re.search(r"^kind: CustomResourceDefinition$", text, re.MULTILINE):
            client.apply(f"{CRD_PATH}/{crd_name(text, path)}", text.encode())


def is_filled(client: Client) -> bool:
    """Say whether Pods can be placed and custom resources created."""
    try:
        client.get("/api/v1/namespaces/default/serviceaccounts/default")
        nodes = [client.get(f"/api/v1/nodes/{name}") for name in NODES]
    except Refused:
        return False
    crds = client.get(CRD_PATH)["items"]
    return all(_has(one, "Ready") for one in nodes) and all(_has(one, "Established") for one in crds)


def node(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": dict([FAKE_NODE]),
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
            },
        },
        "status": {"capacity": RESOURCES, "allocatable": RESOURCES},
    }


def crd_name(text: str, path: Path) -> str:
    """Read metadata.name, which in these files is the first name that is indented by two."""
    found = re.search(r"^metadata:\n(?:[ ].*\n)*?  name: (\S+)$", text, re.MULTILINE)
    if not found:
        raise Problem(f"{path} has no metadata.name")
    return found[1]


def _crd_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))


def _has(document: dict[str, Any], condition: str) -> bool:
    conditions = document.get("status", {}).get("conditions") or []  # null at first
    return any(one["type"] == condition and one["status"] == "True" for one in conditions)
