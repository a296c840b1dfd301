"""Custom resource definitions of a cluster, exchanged while it runs: the project's small ones for the full ones."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from dev.cluster import Cluster
from dev.cluster.client import Refused
from dev.cluster.contents import CRD_PATH, OWN_CRDS
from tests.e2e.cluster_facts import wait_until
from tests.goldens.objects import collection

# A field that tells which of two definitions the API server goes by; it takes up a new one a moment later.
_MARK = "ofFullDefinition"


def full_definitions(folder: Path) -> list[dict[str, Any]]:
    """Those in the folder's files that the project has a small one of, marked."""
    small = {path.stem for path in OWN_CRDS.glob("*.yaml")}
    found = []
    for path in sorted(folder.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document and document["kind"] == "CustomResourceDefinition" and document["metadata"]["name"] in small:
                document.pop("status", None)
                for version in document["spec"]["versions"]:
                    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
                    spec["properties"][_MARK] = {"type": "boolean"}
                found.append(document)
    return found


def use(cluster: Cluster, definitions: Iterable[dict[str, Any]]) -> None:
    """Puts definitions in the place of those of the same name, and waits until objects are judged by them."""
    for definition in definitions:
        path = f"{CRD_PATH}/{definition['metadata']['name']}"
        standing = cluster.client().get(path)["metadata"]["resourceVersion"]
        body = {**definition, "metadata": {**definition["metadata"], "resourceVersion": standing}}
        cluster.client().call("PUT", path, json.dumps(body).encode())
    for definition in definitions:
        (version, *_) = (version for version in definition["spec"]["versions"] if version["storage"])
        spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {})
        marked = _MARK in spec.get("properties", {}) or "x-kubernetes-preserve-unknown-fields" in spec
        api_version, kind = f"{definition['spec']['group']}/{version['name']}", definition["spec"]["names"]["kind"]
        wait_until(lambda a=api_version, k=kind, m=marked: knows_mark(cluster, a, k) is m)


def use_small_definitions(cluster: Cluster, names: Iterable[str]) -> None:
    """Those that the project's own clusters start with."""
    use(cluster, [yaml.safe_load((OWN_CRDS / f"{name}.yaml").read_text()) for name in names])


def knows_mark(cluster: Cluster, api_version: str, kind: str) -> bool:
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": {_MARK: True}}
    try:
        path = collection(api_version, kind, "default")
        cluster.client().call("POST", f"{path}?dryRun=All&fieldValidation=Strict", json.dumps(body).encode())
    except Refused as refused:
        return f'unknown field "spec.{_MARK}"' not in str(refused)
    return True
