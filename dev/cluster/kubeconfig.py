"""The kubeconfig of the embedded cluster: one context, readable by its owner only."""

import base64
import json

from dev.cluster.files import Files, write_private


def write(files: Files, context: str, url: str, token: str) -> None:
    """Write it as JSON, which is YAML too and needs no library."""
    authority = base64.b64encode(files.authority.read_bytes()).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": context, "user": {"token": token}}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
        "current-context": context,
    }
    write_private(files.kubeconfig, json.dumps(document, indent=2) + "\n")
