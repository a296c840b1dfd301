"""The model at the place where the start script looks for it, and the adapters that are downloaded with it."""

from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.download import Download
from loco.pods.model_files import attach_model_files
from loco.pods.model_uri import DOWNLOADED
from loco.spec.tree import Path
from loco.workloads.lora import adapters_of
from loco.workloads.side import Side


def attach_model(
    pod: dict[str, Any],
    container: dict[str, Any],
    resolved: Resolved,
    side: Side,
    place: Path,
) -> list[Finding]:
    """Brings the model's files to the engine; see ``attach_model_files``."""
    adapters, _ = adapters_of(resolved)
    downloads = [Download(adapter.uri, adapter.path) for adapter in adapters if adapter.uri.scheme in DOWNLOADED]
    return attach_model_files(pod, container, resolved, place, adapters=downloads)
