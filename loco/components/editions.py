"""Objects of which each content is one of its own: the provider names them, and pods are told the name.

A name with the content's hash would be simpler, and wrong where an update fails half-way and the next one goes back: the
engine still has the first object on its list of deletions then, and would delete the one that is in use again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from loco.components.register import KubernetesObject
from loco.model import Manifest
from loco.model.pod_templates import pod_templates


def with_editions(manifest: Manifest, editions: Mapping[str, KubernetesObject]) -> dict[str, Any]:
    """The manifest's data, whose pods mount ConfigMaps by the names that they have on the cluster.

    Args:
        manifest: the object.
        editions: by the plan's name, the ConfigMaps of the object's namespace that have other names there.
    """
    data = dict(manifest.data)
    for path, template in pod_templates(manifest.data):
        volumes = [_volume(volume, editions) for volume in template["spec"].get("volumes") or []]
        if volumes:
            data = _replaced(data, (*path, "spec", "volumes"), volumes)
    return data


def _volume(volume: Mapping[str, Any], editions: Mapping[str, KubernetesObject]) -> Mapping[str, Any]:
    config_map = volume.get("configMap")
    if config_map is None or config_map["name"] not in editions:
        return volume
    return {**volume, "configMap": {**config_map, "name": editions[config_map["name"]].metadata.apply(_name)}}


def _name(metadata: Mapping[str, Any]) -> str:
    return str(metadata["name"])


def _replaced(data: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    if not path:
        return value  # type: ignore[no-any-return]
    return {**data, path[0]: _replaced(data[path[0]], path[1:], value)}
