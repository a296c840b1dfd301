"""Values that another stack exports, awaited before anything is planned: a spec holds plain values only."""

from collections.abc import Mapping
from typing import Any

import pulumi

from loco.model import Finding
from loco.spec.stack import CONFIG

_OUTPUT = "platform"


async def platform_of(stack: str) -> dict[str, Any]:
    """The output ``platform`` of another stack, in the form of the config's own ``platform``.

    Args:
        stack: ``organization/project/stack``.

    Raises:
        pulumi.RunError: there is no such output, it is secret, or it isn't a mapping.
    """
    details = await pulumi.StackReference(stack).get_output_details(_OUTPUT)
    if details.secret_value is not None:
        raise pulumi.RunError(str(_refused(stack, "is a secret, and a plan holds plain values only")))
    if details.value is None:
        raise pulumi.RunError(str(_refused(stack, "isn't there")))
    value = _whole(details.value)
    if not isinstance(value, dict):
        raise pulumi.RunError(str(_refused(stack, "isn't a mapping")))
    return value


def over(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Two mappings merged deep; the upper one's values win."""
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        merged[key] = over(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _whole(value: Any) -> Any:
    """Numbers come from another stack as floats; those that are whole are integers again."""
    if isinstance(value, Mapping):
        return {str(key): _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refused(stack: str, why: str) -> Finding:
    message = f"the output {_OUTPUT} of the stack {stack} {why}"
    cure = f"the stack to export {_OUTPUT}, such as {{gateway: {{name: …, namespace: …}}}}, and be updated first"
    return Finding("LOCO-REFERENCE", "error", "platform.from", message, cure, CONFIG, value=stack)
