"""Accounts, ConfigMaps and claims of the model files: applied as they are, before the pods that name them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loco import names
from loco.model import Edge, Manifest, Parts, Wait
from loco.model.pod_templates import pod_templates
from loco.spec import COMPANION_KINDS, CONFIG_MAP, Document
from loco.spec.tree import plain

_CLAIM = "PersistentVolumeClaim"
# What Kubernetes lets nobody change in place and the provider doesn't know of. Of a claim, growing is no such change.
_IMMUTABLE = {
    _CLAIM: ("spec.dataSource", "spec.dataSourceRef", "spec.volumeMode"),
    CONFIG_MAP: ("immutable",),
}


def companions(documents: Iterable[Document], manifests: Sequence[Manifest]) -> Parts:
    """The objects, and their order before those of ``manifests`` whose pods name them."""
    parts = Parts()
    made: dict[tuple[str, str, str], Manifest] = {}
    for document in documents:
        if document.kind in COMPANION_KINDS:
            # A claim may be bound only when its first pod comes, which comes after it.
            wait = Wait(skip=document.kind == _CLAIM)
            replaced = _IMMUTABLE.get(document.kind, ())
            manifest = Manifest(plain(document.tree), None, document.origin, wait, replace_on=replaced)
            made[document.kind, document.namespace, document.name] = manifest
            parts.manifests.append(manifest)
    for manifest in manifests:
        for _, template in pod_templates(manifest.data):
            for kind, name in sorted(set(_named(template.get("spec") or {}))):
                if found := made.get((kind, manifest.namespace, name)):
                    if kind == CONFIG_MAP:
                        _digest(template, found)
                    parts.edges.append(Edge(found.id, manifest.id, f"its pods name this {kind}"))
    return parts


def _digest(template: Mapping[str, Any], config_map: Manifest) -> None:
    """A mark of its content on the pods that read it: they hold what they read at their start."""
    content = {key: config_map.data.get(key) or {} for key in ("data", "binaryData")}
    text = json.dumps(content, sort_keys=True)
    annotations = template["metadata"].setdefault("annotations", {})
    annotations[names.config_map_digest(config_map.name)] = hashlib.sha256(text.encode()).hexdigest()


def _named(pod: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if account := pod.get("serviceAccountName"):
        yield "ServiceAccount", account
    for volume in pod.get("volumes") or []:
        for source in (volume, *((volume.get("projected") or {}).get("sources") or [])):
            if name := (source.get("configMap") or {}).get("name"):
                yield "ConfigMap", name
        if claim := (volume.get("persistentVolumeClaim") or {}).get("claimName"):
            yield _CLAIM, claim
    for container in (*(pod.get("initContainers") or []), *(pod.get("containers") or [])):
        for source in container.get("envFrom") or []:
            if name := (source.get("configMapRef") or {}).get("name"):
                yield "ConfigMap", name
        for variable in container.get("env") or []:
            if name := ((variable.get("valueFrom") or {}).get("configMapKeyRef") or {}).get("name"):
                yield "ConfigMap", name
