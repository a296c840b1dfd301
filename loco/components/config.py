"""The stack's config, out of the engine: a plain mapping for ``loco.spec``, without any secret."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import get_config_env, get_config_secret_keys_env, get_root_directory

from loco.components.awaited_outputs import outputs_of_others
from loco.components.other_stacks import with_platform
from loco.spec import StackSpec, read_stack

_PLAIN_TEXT = ("namespace", "profile")


async def stack_from_config(documents: Sequence[Mapping[str, Any]] = ()) -> StackSpec:
    """The spec of the running stack: its config, and the model files that the config names.

    With ``platform.from`` the other stack's output ``platform`` is awaited, and lies under the config's own values.
    Of secrets it holds the names alone. A structured value with a secret inside counts as one: the engine hands it
    over in plain text.

    Those that ``modelsFrom`` names are awaited likewise.

    Args:
        documents: what a program gives; then only files that the config names are read.

    Raises:
        pulumi.RunError: the other stack has no such output, or a secret one.
    """
    root = Path(get_root_directory() or ".")
    project, stack = pulumi.get_project(), pulumi.get_stack()
    prefix = f"{project}:"
    secret = {key.removeprefix(prefix) for key in get_config_secret_keys_env() if key.startswith(prefix)}
    values = {
        key.removeprefix(prefix): _value(key.removeprefix(prefix), text)
        for key, text in get_config_env().items()
        if key.startswith(prefix) and key.removeprefix(prefix) not in secret
    }
    values = await with_platform(values)
    return read_stack(
        root,
        values,
        stack=stack,
        config_file=root / f"Pulumi.{stack}.yaml",
        project=project,
        documents=documents,
        secrets=secret,
        outputs=await outputs_of_others(values),
    )


def _value(name: str, text: str) -> Any:
    if name in _PLAIN_TEXT:
        return text
    value = _structured(text)
    return text if name == "presets" and not isinstance(value, dict) else value  # a version looks like a number


def _structured(text: str) -> Any:
    """The engine hands over lists, mappings, booleans and numbers as JSON text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
