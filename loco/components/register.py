"""A manifest becomes a resource: generic, camelCase as Kubernetes spells it, under a logical name that never moves."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from loco import names
from loco.components.provider import PROVIDER_VERSION
from loco.components.renames import aliases_of
from loco.model import Manifest
from loco.model.pod_templates import pod_templates


class KubernetesObject(pulumi.CustomResource):
    """Any Kubernetes object. The typed classes would register the same, with twice the time and memory."""

    metadata: pulumi.Output[Mapping[str, Any]]

    def __init__(self, token: str, name: str, props: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__(token, name, dict(props), opts)


def register(
    manifest: Manifest,
    parent: pulumi.Resource,
    provider: pulumi.ProviderResource,
    after: Sequence[pulumi.Input[pulumi.Resource]],
    contents: pulumi.Input[Mapping[str, pulumi.Input[str]]] | None = None,
    pod_annotations: Mapping[str, pulumi.Input[str]] | None = None,
    retain: bool = False,
    protect: bool = False,
) -> KubernetesObject:
    """Registers one object of a plan.

    Args:
        manifest: the object.
        parent: the component that it belongs to.
        provider: the stack's provider.
        after: what must exist before it.
        contents: for a Secret, its ``stringData``; for a ConfigMap, its ``data``.
        pod_annotations: added to those of every pod template.
        retain: whether the object outlives the stack.
        protect: whether the engine refuses to delete or replace it.
    """
    token = token_of(manifest.id.api_version, manifest.id.kind)
    name = names.logical_name(manifest.component, manifest.id)
    earlier = [*aliases_of(token, name), *_taken_over(manifest)]
    if manifest.editions:
        earlier.append(pulumi.Alias(name=name))
        name = names.edition_name(manifest.id)
    opts = pulumi.ResourceOptions(
        parent=parent,
        provider=provider,
        version=PROVIDER_VERSION,
        depends_on=list(after),
        aliases=earlier,
        ignore_changes=list(manifest.ignore_changes),
        replace_on_changes=list(manifest.replace_on),
        retain_on_delete=retain,
        protect=protect or None,  # that of the component above, where the program protects it
        # Where the object's name is fixed, two of them can't stand side by side.
        delete_before_replace=not manifest.editions,
        additional_secret_outputs=["data", "stringData"] if manifest.id.kind == "Secret" else None,
    )
    props = _for_provider(manifest)
    if manifest.editions:
        # Without a name in it the provider makes one of the logical name and eight characters of its own.
        props["metadata"] = {key: value for key, value in props["metadata"].items() if key != "name"}
    if contents is not None and manifest.id.kind == "ConfigMap":
        props["data"] = contents
    elif contents is not None:
        props["stringData"] = pulumi.Output.secret(contents)
        props["metadata"] = _annotated(props["metadata"], {names.MADE_BY: maker()})
    if pod_annotations:
        for path, _ in pod_templates(manifest.data):
            props = _with_annotations(props, path, pod_annotations)
    return KubernetesObject(token, name, props, opts)


def maker() -> str:
    """How an object says which stack has made it."""
    return names.made_by(pulumi.get_project(), pulumi.get_stack())


def field_manager() -> str:
    """As whom the stack applies its objects: the same in every update, at most 128 characters."""
    name = f"loco/{maker()}"
    return name if len(name) <= 128 else name[:95] + "-" + hashlib.sha256(name.encode()).hexdigest()[:32]


def token_of(api_version: str, kind: str) -> str:
    """The provider's type token: the core group is spelt out, every other apiVersion is taken as it is."""
    group = api_version if "/" in api_version else f"core/{api_version}"
    return f"kubernetes:{group}:{kind}"


def _taken_over(manifest: Manifest) -> list[pulumi.Alias]:
    """By an alias with another type the engine sees one resource that changes its kind, and deletes the old one first.

    As two resources the new object would be made before the old one goes, since deletions come last.
    """
    return [
        pulumi.Alias(name=names.logical_name(manifest.component, old), type_=token_of(old.api_version, old.kind))
        for old in manifest.takes_over
    ]


def _with_annotations(
    data: Mapping[str, Any], path: Sequence[str], annotations: Mapping[str, pulumi.Input[str]]
) -> dict[str, Any]:
    """A copy of the data, whose part at the path has more annotations."""
    if not path:
        return {**data, "metadata": _annotated(data["metadata"], annotations)}
    return {**data, path[0]: _with_annotations(data[path[0]], path[1:], annotations)}


def _annotated(metadata: Mapping[str, Any], annotations: Mapping[str, pulumi.Input[str]]) -> dict[str, Any]:
    return {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}


def _for_provider(manifest: Manifest) -> dict[str, Any]:
    """The object with the annotations that tell the provider who applies it and how to wait, without empty metadata maps.

    The provider would show an empty map of a custom resource as a change for ever.
    """
    data = dict(manifest.data)
    metadata = {key: value for key, value in data["metadata"].items() if value not in ({}, None)}
    # The provider would make up a name for each object and keep it in the state alone. Of an update that was cut off
    # nothing is in the state, and the same fields under another name are a conflict.
    told: dict[str, pulumi.Input[str]] = {"pulumi.com/patchFieldManager": field_manager()}
    if manifest.wait.skip:
        told["pulumi.com/skipAwait"] = "true"
    elif manifest.wait.timeout_seconds is not None:
        told["pulumi.com/timeoutSeconds"] = str(manifest.wait.timeout_seconds)
    if manifest.id.kind == "Job":
        told["pulumi.com/replaceUnready"] = "true"  # one that has failed stays so; the next update makes another
    data["metadata"] = _annotated(metadata, told)
    return data
