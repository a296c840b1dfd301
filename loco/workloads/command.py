"""What an engine's container runs: the preset's script, which takes flags from loco, or a command of the user's own."""

from collections.abc import Mapping
from typing import Any

from loco.layers import Resolved
from loco.spec.tree import Path

MORE = "VLLM_ADDITIONAL_ARGS"  # words that the preset's script adds to vLLM's arguments


def runs_script(pod: Mapping[str, Any], container: Mapping[str, Any], resolved: Resolved, place: Path) -> bool:
    """Whether the container's command is a preset's: only that reads arguments as loco writes them."""
    index = index_of(pod, container)
    return resolved.origin_at(*place, "containers", index, "command").layer.startswith("preset:")


def index_of(pod: Mapping[str, Any], container: Mapping[str, Any]) -> int:
    """The container's number among the pod's."""
    return next(index for index, other in enumerate(pod["containers"]) if other is container)


def says(container: Mapping[str, Any], flag: str, script: bool) -> bool:
    """Whether a user has given the engine a flag, with dashes or underscores, in arguments, command or environment.

    A flag of the preset's own ``script`` doesn't count, nor can one be seen that a variable takes from elsewhere.
    """
    words = list(container.get("args") or [])
    words += [] if script else container.get("command") or []
    words += [item.get("value") or "" for item in container.get("env") or [] if item.get("name") == MORE]
    name = flag.removeprefix("--")
    text = " ".join(words)
    return f"--{name}" in text or f"--{name.replace('-', '_')}" in text
