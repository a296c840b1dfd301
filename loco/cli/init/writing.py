"""Files put in place: all of them or none, none half-written, none over another."""

import errno
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def taken(folder: Path, files: Iterable[str]) -> list[str]:
    """In whose place something stands already."""
    return [file for file in files if os.path.lexists(folder / file)]


def blocked(folder: Path, files: Iterable[str]) -> dict[str, str]:
    """Those that can't be made, each with what stands in the place of a folder of theirs."""
    found = {}
    for file in files:
        above = [parent for parent in Path(file).parents if parent != Path()]
        for parent in above:
            if os.path.lexists(folder / parent) and not (folder / parent).is_dir():
                found[file] = str(parent)
    return found


def place(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the files. They are made whole in a folder of their own beside, and then appear one by one.

    Raises:
        FileExistsError: somebody else made one of them meanwhile.
        OSError: one of them can't be written. Whatever happens, an interruption too, what was made is removed again.
    """
    made: list[Path] = []  # folders
    tried: list[tuple[Path, Path]] = []
    with _ended_in_order():
        try:
            _make_folder(folder, made)
            beside = Path(_folder_of_its_own(folder))
            made.append(beside)
            for number, (file, text) in enumerate(files.items()):
                (beside / str(number)).write_text(text, encoding="utf-8", newline="\n")
                _make_folder((folder / file).parent, made)
            for number, file in enumerate(files):
                tried.append((beside / str(number), folder / file))
                _appear(*tried[-1])
            shutil.rmtree(beside)
        except BaseException:
            for own, path in tried:
                if _is_ours(own, path):
                    path.unlink()
            for path in reversed(made):
                _remove(path)
            raise


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """A pipeline that is cancelled, or a terminal that is closed, ends the process as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():  # where nobody may take signals
        yield
        return
    ends = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]  # nohup
    before = {number: signal.signal(number, _end) for number in ends}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _folder_of_its_own(folder: Path) -> str:
    try:
        return tempfile.mkdtemp(prefix=".loco-init-", dir=folder)
    except OSError as error:  # whose name for it says nothing to anybody
        raise OSError(error.errno, error.strerror, str(folder)) from None


def _make_folder(folder: Path, made: list[Path]) -> None:
    """The folder and those above it, as far as they are missing."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    for path in reversed(missing):
        path.mkdir()
        made.append(path)


def _appear(made: Path, path: Path) -> None:
    """Never over another file, which a renaming would do; so that is for file systems without links only."""
    try:
        os.link(made, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        made.rename(path)


def _is_ours(own: Path, path: Path) -> bool:
    """Whether the file at the path is the one that was made as ``own``: linked, or renamed so that ``own`` is gone."""
    return os.path.lexists(path) and (not os.path.lexists(own) or os.path.samestat(own.lstat(), path.lstat()))


def _remove(path: Path) -> None:
    if path.name.startswith(".loco-init-"):
        shutil.rmtree(path, ignore_errors=True)
    else:
        try:
            path.rmdir()
        except OSError:  # somebody has put something there
            return
