"""A manifest becomes a resource: generic, camelCase as Kubernetes spells it, under a logical name that never moves."""

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

    def __init__(self, token: str, name: str, props: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__(token, name, dict(props), opts)


def register(
    manifest: Manifest,
    parent: pulumi.Resource,
    provider: pulumi.ProviderResource,
    after: Sequence[pulumi.Resource],
    contents: pulumi.Input[Mapping[str, pulumi.Input[str]]] | None = None,
    pod_annotations: Mapping[str, pulumi.Input[str]] | None = None,
    retain: bool = False,
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
    """
    token = token_of(manifest.id.api_version, manifest.id.kind)
    name = names.logical_name(manifest.component, manifest.id)
    opts = pulumi.ResourceOptions(
        parent=parent,
        provider=provider,
        version=PROVIDER_VERSION,
        depends_on=list(after),
        aliases=[*aliases_of(token, name), *_taken_over(manifest)],
        ignore_changes=list(manifest.ignore_changes),
        replace_on_changes=list(manifest.replace_on),
        retain_on_delete=retain,
        delete_before_replace=True,  # the object's name is fixed, so two of them can't stand side by side
        additional_secret_outputs=["data", "stringData"] if manifest.id.kind == "Secret" else None,
    )
    props = _with_wait(manifest)
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
    return f"{pulumi.get_project()}/{pulumi.get_stack()}"


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


def _with_wait(manifest: Manifest) -> dict[str, Any]:
    """The object with the annotations that tell the provider how to wait, and without empty metadata maps.

    The provider would show an empty map of a custom resource as a change for ever.
    """
    data = dict(manifest.data)
    metadata = {key: value for key, value in data["metadata"].items() if value not in ({}, None)}
    waiting: dict[str, pulumi.Input[str]] = {}
    if manifest.wait.skip:
        waiting["pulumi.com/skipAwait"] = "true"
    elif manifest.wait.timeout_seconds is not None:
        waiting["pulumi.com/timeoutSeconds"] = str(manifest.wait.timeout_seconds)
    data["metadata"] = _annotated(metadata, waiting) if waiting else metadata
    return data
