"""Objects that an interrupted run had begun to create, of which Pulumi has no record.

Each run applies its objects under a field manager name of its own, so the next run, if it wants
anything different, would be refused with a conflict. On the embedded cluster nobody else has a
claim on such an object: it is deleted and created again.
"""

from collections.abc import Iterable
from typing import Any

from dev.cluster.client import Client, Refused
from dev.messages import say


def delete_half_made(client: Client, operations: Iterable[dict[str, Any]]) -> None:
    """Delete the objects behind the pending creations of a stack."""
    for operation in operations:
        inputs = operation.get("resource", {}).get("inputs") or {}
        if operation.get("type") != "creating" or not isinstance(inputs.get("metadata"), dict):
            continue
        path = _path(client, inputs)
        if path and client.delete(path):
            say(f"deleted {inputs['kind']} {inputs['metadata']['name']}, which that run had half made")


def _path(client: Client, inputs: dict[str, Any]) -> str | None:
    """Return the object's address, asking the server for the resource name of its kind."""
    version, kind, metadata = inputs.get("apiVersion"), inputs.get("kind"), inputs["metadata"]
    if not (isinstance(version, str) and isinstance(kind, str) and isinstance(metadata.get("name"), str)):
        return None
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    try:
        resources = client.get(base)["resources"]
    except Refused:
        return None
    for resource in resources:
        if resource["kind"] == kind and "/" not in resource["name"]:
            where = f"namespaces/{metadata.get('namespace', 'default')}/" if resource["namespaced"] else ""
            return f"{base}/{where}{resource['name']}/{metadata['name']}"
    return None
