"""The command as a process: streams, bytes, broken pipes, locales."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOCO = [sys.executable, "-m", "loco.cli.main"]


def run(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*LOCO, *arguments], capture_output=True, env={**os.environ, **(environment or {})}, check=False
    )


@pytest.mark.usefixtures("folder")
def test_exit_status() -> None:
    assert run("check", "good.yaml", "--namespace", "llm").returncode == 0
    assert run("check", "broken.yaml", "--namespace", "llm").returncode == 1
    assert run("check", "--nonsense").returncode == 2


def test_same_input_same_bytes_in_any_locale(folder: Path) -> None:
    text = (folder / "good.yaml").read_text().replace("hf://a/b", "hf://a/b, name: 模型")
    (folder / "good.yaml").write_text(text, encoding="utf-8")
    outputs = {
        run("render", "good.yaml", "--namespace", "llm", environment=environment).stdout
        for environment in (
            {"PYTHONHASHSEED": "1"},
            {"PYTHONHASHSEED": "2", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"PYTHONHASHSEED": "3", "PYTHONIOENCODING": "latin-1"},
        )
    }
    assert len(outputs) == 1
    assert "模型".encode() in outputs.pop()


@pytest.mark.usefixtures("folder")
def test_standard_input_by_its_path() -> None:
    text = Path("good.yaml").read_bytes()
    command = [*LOCO, "check", "/dev/stdin", "--namespace", "llm"]
    assert subprocess.run(command, input=text, capture_output=True, check=False).returncode == 0


@pytest.mark.usefixtures("folder")
def test_a_reader_that_has_seen_enough() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*LOCO, "render", "good.yaml", "--namespace", "llm"], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1


def test_file_names_that_are_not_utf8(folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    (folder / name).write_text("a: [\n")
    done = run("check", name, "-o", "json")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"LOCO-YAML" in done.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["render", "check"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_written(command: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*LOCO, command, "good.yaml", "--namespace", "llm", "--profile", "kserve"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"loco: the output can't be written: No space left on device\n")


def test_no_output_at_all() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m loco.cli.main schema LiteLLMGateway >&-', sys.executable],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interruption_while_loading() -> None:
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored where the tests run in the background
        "from loco.cli.main import main\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'loco.plan':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.exit(main(['schema', 'LiteLLMGateway']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_file_without_end() -> None:
    done = run("check", "/dev/zero")
    assert done.returncode == 1
    assert b"/dev/zero has more than 16 MiB" in done.stderr
