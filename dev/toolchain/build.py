"""Builds one tool into the cache: complete or not at all."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from dev.messages import Problem, duration, say
from dev.toolchain.golang import Go, fetch_go, go_environment
from dev.toolchain.lock import exclusive
from dev.toolchain.slow_step import run_slowly
from dev.toolchain.stamp import BUILD_FLAGS, source_files, stamp
from dev.toolchain.table import MODULE_FILES, Copy, Tool

UNFINISHED = ".unfinished-"


def built(tool: Tool, go: Go, cache: Path, root: Path = MODULE_FILES) -> Path:
    """Return the folder of the built tool; builds it first when the cache does not have it."""
    home = cache / "tools" / tool.name / stamp(tool, go, root)
    if home.is_dir():
        return home
    with exclusive(cache / "tools" / "lock", "another checkout is building tools"):
        if not home.is_dir():  # whoever held the lock may have built it
            _build(tool, go, cache, home, root)
    return home


def _build(tool: Tool, go: Go, cache: Path, home: Path, root: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    for leftover in home.parent.glob(f"{UNFINISHED}*"):  # of a build that was killed
        _remove(leftover)
    verb = "building" if tool.programs else "fetching"
    say(f"{verb} {tool.name} {tool.version} (usually {tool.usually} the first time)...")
    begin = time.monotonic()
    work = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home.parent))
    try:
        _fill(tool, fetch_go(go, cache), work, cache / "logs" / f"{tool.name}.log", root)
        os.rename(work / "result", home)
    finally:
        _remove(work)
    say(f"  {tool.name} {tool.version} is ready after {duration(time.monotonic() - begin)}")


def _fill(tool: Tool, go: Path, work: Path, log: Path, root: Path) -> None:
    """Build from a copy of the module, so that the checkout stays as it is."""
    source, result = work / "source", work / "result"
    source.mkdir()
    (result / "bin").mkdir(parents=True)
    for path in source_files(tool, root):
        shutil.copyfile(path, source / path.name)
    env = go_environment(go)
    for copy in tool.embeds:
        _copy(copy, module_folder(copy.module, go, source, env), source)
    for name, package in tool.programs:
        output = result / "bin" / name
        command = [str(go), "build", *BUILD_FLAGS, "-ldflags", tool.linker_flags]
        run_slowly(f"building {name}", [*command, "-o", str(output), package], log, source, env)
        if not os.access(output, os.X_OK):
            raise Problem(f"building {name} left no executable; the log: {log}")
    for copy in tool.data:
        _copy(copy, module_folder(copy.module, go, source, env), result)


def module_folder(module: str, go: Path, source: Path, env: dict[str, str]) -> Path:
    """Return where Go keeps the pinned version of a module, downloading it when needed."""
    answer = subprocess.run(
        [str(go), "mod", "download", "-json", module],
        cwd=source,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        raise Problem(f"cannot download {module}: {answer.stderr.strip() or answer.stdout.strip()}")
    return Path(json.loads(answer.stdout)["Dir"])


def _copy(copy: Copy, module: Path, into: Path) -> None:
    target = into / copy.into
    target.mkdir(parents=True, exist_ok=True)
    for path in _matches(copy, module):
        shutil.copyfile(path, target / path.name)  # not its mode: modules are read-only


def _matches(copy: Copy, module: Path) -> Iterable[Path]:
    for pattern in copy.files:
        found = sorted(module.glob(pattern))
        if not found:
            raise Problem(f"{copy.module} has no {pattern}; was its version changed?")
        yield from found


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
