"""The words that a container is started with."""

from typing import Any

from loco.layers import Resolved


def drop_empty_words(container: dict[str, Any], resolved: Resolved) -> None:
    """Takes the empty words out of a container's command and args, which presets leave where TLS is off.

    A profile that follows KServe keeps them, as the reference has them.
    """
    if not resolved.tls and resolved.profile.settings.empty_arguments != "dropped":
        return
    for key in ("command", "args"):
        if key in container:
            container[key] = [word for word in container[key] if word != ""]
