"""What a stack's file holds as it is written, for what planning has no use for; planning says what is wrong with it."""

from pathlib import Path
from typing import Any

import yaml


def raw_config(folder: Path, stack: str) -> dict[str, Any]:
    """``config`` of Pulumi.<stack>.yaml by its keys; empty where there is none, or none that can be read."""
    try:
        content = yaml.safe_load((folder / f"Pulumi.{stack}.yaml").read_bytes())
    except (OSError, yaml.YAMLError, RecursionError, ValueError):
        return {}
    config = content.get("config") if isinstance(content, dict) else None
    return {str(key): value for key, value in config.items()} if isinstance(config, dict) else {}
