"""The project's files as a git revision has them, in a folder of their own; nothing of the checkout is touched."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from loco.cli.report.stack_file import raw_config
from loco.model import Finding, Refused

_LARGEST = 16 * 2**20  # bytes; loco reads no larger file
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_LINK, _FILES = b"120000", (b"100644", b"100755", b"120000")


@contextmanager
def files_of(root: Path, ref: str, stack: str) -> Iterator[Path]:
    """The project's folder as it was at ``ref``; gone when the context ends.

    Whatever patterns of the stack's config reach outside of the project's folder is there too. Attributes and filters of
    the repository have no say, and submodules are left out.

    Raises:
        Refused: there is no git, no repository or no such revision.
    """
    commit = _commit(root, ref)
    prefix = _git(root, ref, "rev-parse", "--show-prefix").decode(errors="surrogateescape").strip("\n")
    top = Path(_git(root, ref, "rev-parse", "--show-toplevel").decode(errors="surrogateescape").strip("\n"))
    with tempfile.TemporaryDirectory(prefix="loco-base-") as made:
        folder = Path(made)
        project = folder / prefix
        project.mkdir(parents=True, exist_ok=True)
        _write(top, ref, commit, PurePosixPath(prefix or "."), folder)
        wider = _reach(project, stack, PurePosixPath(prefix or "."))
        if wider is not None:
            _write(top, ref, commit, wider, folder)
        yield project


def _commit(root: Path, ref: str) -> str:
    if not ref or ref.startswith("-") or not ref.isprintable():
        raise Refused([_unknown(ref, "that is no name of a revision", "a branch, tag or commit, such as origin/main")])
    inside = _run(root, ["rev-parse", "--is-shallow-repository"])
    if inside.returncode != 0:
        message = f"the project's folder is in no git repository that can be read: {_last_line(inside.stderr)}"
        raise Refused([_unknown(ref, message, "the report of a checkout, or --preview without --base")])
    found = _run(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"])
    commit = found.stdout.decode(errors="replace").strip()
    if found.returncode == 0 and commit:
        return commit
    branch = ref.partition("/")[2] if ref.startswith("origin/") else ref
    shallow = inside.stdout.strip() == b"true"
    why = "the clone is shallow and holds no such revision" if shallow else "the repository holds no such revision"
    fetch = (
        f"git fetch --depth=1 origin {branch}:refs/remotes/origin/{branch}"
        if ref.startswith("origin/")
        else f"git fetch origin {branch}"
    )
    raise Refused([_unknown(ref, why, f"first `{fetch}`" + (", or a checkout with fetch-depth: 0" if shallow else ""))])


def _unknown(ref: str, why: str, cure: str) -> Finding:
    return Finding("LOCO-REFERENCE", "error", "--base", f"the base can't be read: {why}", cure, value=ref)


def _write(top: Path, ref: str, commit: str, below: PurePosixPath, folder: Path) -> None:
    """Every file below a folder of the commit, as git keeps it."""
    spec = f"{commit}:{'' if str(below) == '.' else below}"
    if _run(top, ["cat-file", "-e", spec]).returncode != 0:
        return  # the base has no such folder
    listed = _git(top, ref, "ls-tree", "-r", "-z", "-l", "--full-tree", spec).split(b"\0")
    wanted: list[tuple[bytes, bytes, bytes]] = []
    for line in filter(None, listed):
        head, _, name = line.partition(b"\t")
        mode, _, blob, size = head.split()
        if mode in _FILES and size.isdigit() and int(size) <= _LARGEST:
            wanted.append((mode, blob, name))
    for (mode, _, name), content in zip(wanted, _contents(top, ref, [blob for _, blob, _ in wanted]), strict=True):
        _put(folder, folder / str(below) / os.fsdecode(name), content, mode == _LINK)


def _contents(top: Path, ref: str, blobs: Sequence[bytes]) -> Iterator[bytes]:
    """Of one blob after the other, by one git for all of them."""
    if not blobs:
        return
    answer = _git(top, ref, "cat-file", "--batch", given=b"".join(blob + b"\n" for blob in blobs))
    position = 0
    for blob in blobs:
        end = answer.index(b"\n", position)
        head = answer[position:end].split()
        if len(head) != 3:
            raise Refused([_unknown(ref, f"git lacks the object {blob.decode()}", "a clone that isn't partial")])
        position = end + 1 + int(head[2])
        yield answer[end + 1 : position]
        position += 1  # the line's end behind a content


def _put(folder: Path, path: Path, content: bytes, link: bool) -> None:
    """Writes a file, or a link that leads nowhere out of the folder."""
    inside = Path(os.path.realpath(path.parent))
    real = Path(os.path.realpath(folder))
    if real != inside and real not in inside.parents:
        return
    inside.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.exists():
        return
    if not link:
        path.write_bytes(content)
        return
    target = os.fsdecode(content)
    leads_to = Path(os.path.normpath(inside / target))
    if not os.path.isabs(target) and (real == leads_to or real in leads_to.parents):
        os.symlink(target, path)


def _reach(project: Path, stack: str, prefix: PurePosixPath) -> PurePosixPath | None:
    """The folder above the project's that the stack's patterns reach into; None where they stay within."""
    texts = []
    for key, value in raw_config(project, stack).items():
        name = key.rpartition(":")[2]
        if name == "files":
            texts += value if isinstance(value, list) else []
        elif name == "presets" and isinstance(value, dict):
            texts.append(value.get("folder"))
    up = max((_steps_up(text) for text in texts if isinstance(text, str)), default=0)
    parts = [part for part in prefix.parts if part != "."]
    return PurePosixPath(*parts[: max(0, len(parts) - up)]) if up and parts else None


def _steps_up(pattern: str) -> int:
    steps = 0
    for part in os.path.normpath(pattern).split("/"):
        if part != "..":
            break
        steps += 1
    return steps


def _git(folder: Path, ref: str, *arguments: str, given: bytes | None = None) -> bytes:
    done = _run(folder, arguments, given)
    if done.returncode != 0:
        why = f"git {arguments[0]} failed: {_last_line(done.stderr)}"
        raise Refused([_unknown(ref, why, "what git says, put right")])
    return done.stdout


def _run(folder: Path, arguments: Sequence[str], given: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
    environment = {
        key: value for key, value in os.environ.items() if key not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
    }
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments],
            input=given if given is not None else b"",
            capture_output=True,
            env={**environment, **_ENVIRONMENT},
            check=False,
        )
    except OSError as error:
        message = f"git can't be started: {error.strerror or error}"
        raise Refused(
            [Finding("LOCO-FILE", "error", "--base", message, "git on the PATH, or --preview alone")]
        ) from None


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "git says nothing"
