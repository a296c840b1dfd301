"""A short name for everything that a built tool depends on: other inputs, other folder."""

import hashlib
from pathlib import Path

from dev.toolchain.golang import Go
from dev.toolchain.table import MODULE_FILES, Tool

BUILD_FLAGS = ("-trimpath",)


def source_files(tool: Tool, root: Path = MODULE_FILES) -> list[Path]:
    """List the committed files of the tool's module, and nothing that a build left beside them."""
    folder = root / tool.name
    return sorted(path for path in folder.iterdir() if path.suffix == ".go" or path.name in ("go.mod", "go.sum"))


def stamp(tool: Tool, go: Go, root: Path = MODULE_FILES) -> str:
    """Return `VERSION-HASH`; the hash covers module files, flags, compiler and platform."""
    digest = hashlib.sha256()
    for path in source_files(tool, root):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    recipe = repr((tool.programs, tool.linker_flags, tool.embeds, tool.data))
    for fact in (*BUILD_FLAGS, recipe, go.version, go.platform):
        digest.update(fact.encode() + b"\0")
    return f"{tool.version}-{digest.hexdigest()[:12]}"
