"""Whether the cluster answers at all, asked once before anything is registered.

Without it an update would try every object in turn, and a preview would look as if all had been checked.
"""

import os
import socket
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import pulumi
import yaml

from loco.model import Manifest

_SECONDS = 3.0


def obstacle(context: str, kubeconfig: Path | None) -> str | None:
    """Why the cluster of a context can't be reached, None if it can or if only the provider can tell."""
    files = [kubeconfig] if kubeconfig else _default_files()
    merged: dict[str, dict[str, dict[str, str]]] = {"contexts": {}, "clusters": {}}
    for file in files:
        try:
            loaded = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        except FileNotFoundError:
            continue
        except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
            return f"the kubeconfig {file} can't be read: {error}"
        for kind, entry in (("contexts", "context"), ("clusters", "cluster")):
            for item in (loaded.get(kind) if isinstance(loaded, dict) else None) or []:
                if isinstance(item, dict):
                    merged[kind].setdefault(str(item.get("name")), item.get(entry) or {})
    if context not in merged["contexts"]:
        known = ", ".join(sorted(merged["contexts"])) or "none"
        shown = os.pathsep.join(str(file) for file in files)
        return f"no context is called {context} in {shown}; there are: {known}"
    cluster = merged["clusters"].get(str(merged["contexts"][context].get("cluster")), {})
    address = urlsplit(str(cluster.get("server", "")))
    if not address.hostname:
        return f"the context {context} names no server"
    if cluster.get("proxy-url") or os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy"):
        return None  # only the provider knows the way
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname, port), timeout=_SECONDS).close()
    except OSError as error:
        return f"{address.hostname}:{port} doesn't answer: {error.strerror or error}"
    return None


def report_unreachable(why: str, context: str, manifests: Iterable[Manifest], resource: pulumi.Resource | None) -> None:
    """Ends an update; lets a preview go on, with a list of what it could not check.

    Raises:
        pulumi.RunError: in an update.
    """
    head = f"[LOCO-UNREACHABLE]: the cluster of the context {context} can't be reached: {why}"
    if not pulumi.runtime.is_dry_run():
        raise pulumi.RunError(
            f"{head}\n  nothing was applied\n"
            "  write a context whose cluster answers under cluster.context, or start the cluster"
        )
    listed = [str(manifest.id) for manifest in manifests]
    lines = [
        head,
        "  this preview compares with the stack's last known state only; it could not check",
        f"  - that the API server accepts these {len(listed)} objects: {', '.join(listed)}",
        "  - that their namespaces, and the kinds of custom resources, exist",
        "  - that nobody has changed or removed objects since the last update",
    ]
    pulumi.log.warn("\n".join(lines), resource)


def _default_files() -> list[Path]:
    stated = os.environ.get("KUBECONFIG", "")
    return [Path(part) for part in stated.split(os.pathsep) if part] or [Path.home() / ".kube" / "config"]
