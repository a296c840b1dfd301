"""The tools as the rest of dev/ sees them: paths of programs and data, all of them ready."""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dev.toolchain.build import built
from dev.toolchain.golang import find_go
from dev.toolchain.places import cache_folder
from dev.toolchain.table import ALL_TOOLS, MODULE_FILES, PROVIDER, PROVIDER_VERSION, PULUMI, Tool

LANGUAGE_HOST = "pulumi-language-python"
MANIFEST = ".loco-tools"  # marks a folder of ours and says what it was made from
OWN_LANGUAGE_HOST = Path(__file__).resolve().parent.parent / LANGUAGE_HOST


@dataclass(frozen=True)
class Tools:
    programs: Mapping[str, Path] = field(default_factory=dict)
    data: Mapping[str, Path] = field(default_factory=dict)

    def program(self, name: str) -> Path:
        return self.programs[name]

    def data_folder(self, name: str) -> Path:
        return self.data[name]


def ensure(tools: Iterable[Tool] = ALL_TOOLS, cache: Path | None = None, root: Path = MODULE_FILES) -> Tools:
    """Return ready tools. Installed Pulumi programs are used as they are, the rest is built."""
    cache = cache or cache_folder()
    go = find_go()
    programs: dict[str, Path] = {}
    data: dict[str, Path] = {}
    for tool in tools:
        installed = _installed(tool)
        if installed:
            programs[installed.name] = installed
            continue
        home = built(tool, go, cache, root)
        programs |= {name: home / "bin" / name for name, _ in tool.programs}
        data |= {copy.into: home / copy.into for copy in tool.data}
    return Tools(programs, data)


def _installed(tool: Tool) -> Path | None:
    """Return the user's own program from PATH; only the Pulumi ones are interchangeable."""
    if tool not in (PULUMI, PROVIDER):
        return None
    return which(tool.programs[0][0])


def which(program: str) -> Path | None:
    """Find a program on the user's PATH, past the folders that we have put there ourselves."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    theirs = [folder for folder in folders if folder and not (Path(folder) / MANIFEST).exists()]
    found = shutil.which(program, path=os.pathsep.join(theirs))
    return Path(found) if found else None


def link_bin(tools: Tools, folder: Path) -> Path:
    """Fill a folder that goes in front of PATH: the Pulumi CLI and the cluster's programs.

    The CLI looks for its language host beside its own file, symlinks resolved. So the built CLI
    is a hard link here and our host lies beside it; an installed CLI stays where it is, and our
    host is added only if it has none of its own. The provider is not here: Pulumi warns about
    each plugin that it finds on PATH (see `link_provider`).
    """
    manifest = "".join(f"{path}\n" for path in [*tools.programs.values(), OWN_LANGUAGE_HOST])
    if (folder / MANIFEST).exists() and (folder / MANIFEST).read_text() == manifest:
        return folder  # a running `pulumi` may be using it
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path in tools.programs.items():
        if name == "pulumi" and not _is_installed(path):
            _hard_link(path, folder / name)
        elif name not in ("pulumi", PROVIDER.programs[0][0]):
            (folder / name).symlink_to(path)
    if "pulumi" in tools.programs and not has_language_host(tools.program("pulumi")):
        (folder / LANGUAGE_HOST).symlink_to(OWN_LANGUAGE_HOST)
    (folder / MANIFEST).write_text(manifest)
    return folder


def link_provider(tools: Tools, pulumi_home: Path) -> None:
    """Put the built provider where Pulumi keeps its plugins; an installed one is found on PATH."""
    name = PROVIDER.programs[0][0]
    path = tools.program(name)
    folder = pulumi_home / "plugins" / f"resource-kubernetes-v{PROVIDER_VERSION}"
    if _is_installed(path) or (folder / name).resolve() == path.resolve():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(path)


def has_language_host(pulumi: Path) -> bool:
    """Say whether an official language host is on PATH or beside the CLI."""
    return bool(which(LANGUAGE_HOST)) or (pulumi.resolve().parent / LANGUAGE_HOST).exists()


def _is_installed(path: Path) -> bool:
    return which(path.name) == path


def _hard_link(path: Path, link: Path) -> None:
    try:
        os.link(path, link)
    except OSError:  # another file system
        shutil.copy2(path, link)
