"""The stack's config, out of the engine: a plain mapping for ``loco.spec``, without any secret."""

import json
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import get_config_env, get_config_secret_keys_env, get_root_directory

from loco.model import Finding, Refused
from loco.spec import StackSpec, read_stack
from loco.spec.stack import CONFIG

_PLAIN_TEXT = ("namespace", "profile")


def stack_from_config() -> StackSpec:
    """The spec of the running stack: its config, and the model files that the config names.

    Raises:
        pulumi.RunError: a secret stands inside a structured value, where it would come out in plain text.
    """
    root = Path(get_root_directory() or ".")
    project, stack = pulumi.get_project(), pulumi.get_stack()
    prefix = f"{project}:"
    secret = {key.removeprefix(prefix) for key in get_config_secret_keys_env() if key.startswith(prefix)}
    values: dict[str, Any] = {}
    findings = []
    for key, text in sorted(get_config_env().items()):
        name = key.removeprefix(prefix)
        if name == key:
            continue
        if name in secret:
            message = f"{name} is secret, and nothing declares a credential that it is the source of"
            cure = "the value in plain text if it is a setting, or the stack config without it"
            findings.append(Finding("LOCO-SECRET", "error", name, message, cure, CONFIG))
            continue
        values[name] = text if name in _PLAIN_TEXT else _structured(text)
    if findings:
        raise pulumi.RunError(str(Refused(findings)))
    config_file = root / f"Pulumi.{stack}.yaml"
    return read_stack(root, values, stack=stack, config_file=config_file, project=project)


def _structured(text: str) -> Any:
    """The engine hands over lists, mappings, booleans and numbers as JSON text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
