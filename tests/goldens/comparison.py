"""Recorded objects and ours, leaf by leaf, in both directions."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

# What an API server writes into every object; it says nothing about who made the object.
_SERVER_SIDE = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "ownerReferences")
_ALLOCATED = ("clusterIP", "clusterIPs")
UNRECORDED_KINDS = ("ClusterRoleBinding", "Namespace")
_CUSTOM_WITH_PODS = ("LeaderWorkerSet",)
_AMOUNTS = ("cpu", "memory", "nvidia.com/gpu", "rdma/roce_gdr", "ephemeral-storage")
ABSENT = "<absent>"


@dataclass(frozen=True)
class Difference:
    """A listed one."""

    id: str
    object: str
    path: str
    goldens: str
    reason: str
    case: str

    def covers(self, golden: str, name: str, path: str) -> bool:
        same_place = fnmatch(name, self.object) and (fnmatch(path, self.path) or path.startswith(f"{self.path}."))
        return same_place and fnmatch(golden, self.goldens)


def listed() -> list[Difference]:
    text = Path(__file__).with_name("differences.yaml").read_text()
    return [Difference(**entry) for entry in yaml.safe_load(text)]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value and not path.endswith((".runs", ".args", ".command")):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def comparable(recorded: dict[str, Any]) -> dict[str, Any]:
    """An object without what the API server adds; of a Secret, its name, labels and type."""
    metadata = {key: value for key, value in recorded["metadata"].items() if key not in _SERVER_SIDE}
    annotations = {
        key: value
        for key, value in metadata.get("annotations", {}).items()
        if not key.startswith("deployment.kubernetes")
    }
    metadata = {key: value for key, value in metadata.items() if key not in ("annotations", "namespace")}
    if annotations:
        metadata["annotations"] = annotations
    kept = {key: value for key, value in recorded.items() if key not in ("status", "data", "metadata")}
    if isinstance(kept.get("spec"), dict):
        kept["spec"] = {key: value for key, value in kept["spec"].items() if key not in _ALLOCATED}
    made = {**kept, "metadata": metadata}
    return pods_as_typed(made) if recorded["kind"] in _CUSTOM_WITH_PODS else made


def pods_as_typed(value: Any, key: str = "") -> Any:
    """Pods within a custom resource, which no API server brings to their typed form, as their types write them."""
    if isinstance(value, dict):
        filled = {"apiVersion": "v1", **value} if key == "fieldRef" else value
        typed = {name: pods_as_typed(item, name) for name, item in filled.items()}
        return {name: item for name, item in typed.items() if (name, item) != ("resources", {})}
    if isinstance(value, list):
        return [pods_as_typed(item) for item in value]
    return str(value) if key in _AMOUNTS else value


def differences(expected: dict[str, Any], ours: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Path, recorded value and our value of every leaf that isn't the same on both sides."""
    left, right = dict(leaves(expected)), dict(leaves(ours))
    for path in sorted(left.keys() | right.keys()):
        pair = left.get(path, ABSENT), right.get(path, ABSENT)
        if pair[0] != pair[1]:
            yield path, *pair
