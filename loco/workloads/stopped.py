"""Services that are switched off: they keep their document and lose their objects."""

from loco.layers import Resolved

STOP = "serving.kserve.io/stop"


def is_stopped(resolved: Resolved) -> bool:
    """Whether the service is switched off by its annotation."""
    return resolved.annotations.get(STOP, "").lower() == "true"
