"""The virtual environment `.venv`, made again only when what it depends on has changed."""

import hashlib
import shutil
import subprocess
import sys

from dev.commands.checkout import Checkout
from dev.messages import Problem, say
from dev.toolchain.lock import exclusive
from dev.toolchain.slow_step import run_slowly

EXTRAS = ".[cluster,test,lint]"


def ensure_venv(checkout: Checkout) -> None:
    """Install loco in editable mode with what tests and linters need."""
    wanted = _stamp(checkout)
    stamp = checkout.venv / ".loco-stamp"
    if _read(checkout) == wanted and checkout.python.exists():
        return
    checkout.state.mkdir(parents=True, exist_ok=True)
    with exclusive(checkout.state / "venv.lock", "another command is preparing .venv"):
        if _read(checkout) == wanted and checkout.python.exists():
            return
        log = checkout.state / "logs" / "venv.log"
        if not _works(checkout):
            say("creating .venv...")
            shutil.rmtree(checkout.venv, ignore_errors=True)
            make = [sys.executable, "-m", "venv", str(checkout.venv)]
            run_slowly("creating .venv", make, log, checkout.root)
        say("installing the Python packages into .venv (usually 1 min 30 s the first time)...")
        pip = [str(checkout.python), "-m", "pip", "install", "--disable-pip-version-check"]
        run_slowly("installing packages", [*pip, "-e", EXTRAS], log, checkout.root)
        stamp.write_text(wanted)


def _stamp(checkout: Checkout) -> str:
    """Return what the environment depends on: the packages, the interpreter, the place."""
    project = checkout.root / "pyproject.toml"
    if not project.exists():
        raise Problem(f"there is no {project}; is this a checkout of loco?")
    digest = hashlib.sha256(project.read_bytes()).hexdigest()
    return f"{digest}\n{sys.version_info[0]}.{sys.version_info[1]}\n{checkout.root}\n"


def _read(checkout: Checkout) -> str:
    try:
        return (checkout.venv / ".loco-stamp").read_text()
    except OSError:
        return ""


def _works(checkout: Checkout) -> bool:
    """Say whether there is an environment of this Python version, made at this place."""
    try:
        code = "import sys, pip; print(*sys.version_info[:2], sys.prefix)"
        answer = subprocess.run([str(checkout.python), "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    here = f"{sys.version_info[0]} {sys.version_info[1]} {checkout.venv}"
    made_at = _read(checkout).splitlines()[-1:]
    return answer.stdout.strip() == here and made_at in ([], [str(checkout.root)])
