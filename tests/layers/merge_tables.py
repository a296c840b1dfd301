"""The tables of small merges beside this file; tables of other things stand there too, and have no layers."""

from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent


def merge_tables() -> dict[str, list[dict[str, Any]]]:
    """The entries of each table of merges, by the table's name."""
    tables = {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.yaml"))}
    return {name: entries for name, entries in tables.items() if any("layers" in entry for entry in entries)}
