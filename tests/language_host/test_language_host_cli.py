"""What a user of the unmodified CLI sees when our language host runs the program."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Workspace

pytestmark = pytest.mark.e2e

# what a traceback must not show: our own frames, and those of the machinery between them and the program
MACHINERY = (
    'pulumi-language-python"',
    "runpy",
    "asyncio",
    "site-packages/pulumi",
    "run_until_complete",
    "never retrieved",
)


def test_up_exports_outputs_then_changes_nothing_then_shows_a_diff(own_workspace: Workspace) -> None:
    program = """
import pulumi
config = pulumi.Config()
pulumi.export("plain", config.require("word"))
pulumi.export("secret", config.require_secret("hush"))
pulumi.export("where", [pulumi.get_project(), pulumi.get_stack(), pulumi.get_organization()])
pulumi.export("preview", pulumi.runtime.is_dry_run())
"""
    own_workspace.program(program)
    assert own_workspace.pulumi("config", "set", "--secret", "hush", "hidden value").code == 0

    up = own_workspace.pulumi("up", "--yes", "--skip-preview", "--config", "word=before")
    assert up.code == 0, up.text
    assert re.search(r'plain\s*: "before"', up.text), up.text
    assert re.search(r"secret\s*: \[secret\]", up.text), up.text
    outputs = own_workspace.pulumi("stack", "output", "--json", "--show-secrets")
    assert json.loads(outputs.text) == {
        "plain": "before",
        "secret": "hidden value",
        "where": ["demo", "dev", "organization"],
        "preview": False,
    }
    assert json.loads(own_workspace.pulumi("stack", "output", "--json").text)["secret"] == "[secret]"

    own_workspace.program(program.replace("pulumi.runtime.is_dry_run()", "False"))
    again = own_workspace.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
    assert again.code == 0, again.text

    own_workspace.program(program.replace('config.require("word")', '"after"'))
    diff = own_workspace.preview("--diff")
    assert diff.code == 0, diff.text
    assert re.search(r'~ plain\s*: "before" => "after"', diff.text), diff.text
    assert re.search(r"~ preview\s*: false => true", diff.text), diff.text


def test_an_unhandled_exception_shows_the_programs_frames_only(workspace: Workspace) -> None:
    workspace.program("import broken\n")
    workspace.program("def f():\n    raise ValueError('boom')\n\n\nf()\n", "broken.py")
    outcome = workspace.preview()
    assert outcome.code == 1
    assert "error: Program failed with an unhandled exception:" in outcome
    for line in (
        'a project/__main__.py", line 1, in <module>',
        'a project/broken.py", line 2, in f',
        "ValueError: boom",
    ):
        assert line in outcome
    assert not [word for word in MACHINERY if word in outcome.text.replace("using pulumi-language-python", "")]
    assert outcome.text.count("Traceback") == 1
    assert "exit code" not in outcome


def test_an_exception_in_apply_and_its_cause_show_the_programs_frames_only(workspace: Workspace) -> None:
    workspace.program("""
import pulumi

def f(value):
    try:
        return value / 0
    except ZeroDivisionError as error:
        raise KeyError("late \\udce9") from error

pulumi.export("a", pulumi.Output.from_input(1).apply(f))
""")
    outcome = workspace.preview()
    assert outcome.code == 1
    assert 'a project/__main__.py", line 6, in f' in outcome
    assert 'a project/__main__.py", line 8, in f' in outcome
    assert "KeyError: 'late \\udce9'" in outcome
    assert not [word for word in MACHINERY if word in outcome]


@pytest.mark.parametrize("late", [False, True])
def test_run_error_is_one_line(workspace: Workspace, late: bool) -> None:
    call = "pulumi.Output.from_input(1).apply(stop)" if late else "stop(1)"
    workspace.program(f"import pulumi\ndef stop(_):\n    raise pulumi.RunError('fix your config')\nx = {call}\n")
    outcome = workspace.preview()
    assert outcome.code == 1
    _, _, diagnostics = outcome.text.partition("Diagnostics:")
    errors = [line.strip() for line in diagnostics.splitlines() if "error" in line and "errored" not in line]
    assert errors == ["error: fix your config"]
    assert "Traceback" not in outcome


def test_a_syntax_error_names_file_and_line(workspace: Workspace) -> None:
    workspace.program("x = 1\ny = (\n")
    outcome = workspace.preview()
    assert outcome.code == 1
    assert 'a project/__main__.py", line 2' in outcome
    assert "SyntaxError: '(' was never closed" in outcome
    assert "Traceback" not in outcome


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("sys.exit(3)", ["error: an unhandled error occurred: program exited with non-zero exit code: 3"]),
        ("sys.exit('its last words')", ["its last words", "non-zero exit code: 1"]),
        ("os._exit(5)", ["non-zero exit code: 5"]),
        ("os.kill(os.getpid(), signal.SIGKILL)", ["program was ended by signal 9 (Killed)"]),
    ],
)
def test_a_program_that_ends_itself(workspace: Workspace, ending: str, expected: list[str]) -> None:
    workspace.program(f"import os, signal, sys\nsys.stdout.write('not flushed')\n{ending}\n")
    outcome = workspace.preview()
    assert outcome.code == 1
    for text in ["not flushed", *expected]:
        assert text in outcome
    assert "Traceback" not in outcome


def test_output_of_any_kind_reaches_the_user_and_breaks_nothing(workspace: Workspace) -> None:
    workspace.program("""
import sys
print("h\\u00e9llo \\u4e2d \\udce9")
print("to stderr", file=sys.stderr)
sys.stdout.buffer.write(b"raw \\xff bytes\\n")
print("x" * 5_000_000)
for i in range(2000):
    print("line", i)
""")
    outcome = workspace.preview(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="latin-1")
    assert outcome.code == 0, outcome.text[-2000:]
    for text in ("h\u00e9llo \u4e2d \\udce9", "to stderr", "raw ", "x" * 5_000_000, "line 1999"):
        assert text in outcome


def test_folders_and_imports(workspace: Workspace) -> None:
    """`main:`, imports beside the program even after it has ended, and modules that hide the standard library's."""
    workspace.project(more="main: the prog/")
    workspace.program(
        """
import os
import pulumi
import sys

def late(_):
    import beside
    return beside.VALUE

pulumi.export("late", pulumi.Output.from_input(1).apply(late))
pulumi.export("folder", os.path.basename(os.getcwd()))
pulumi.export("ours", any(os.path.exists(os.path.join(p, "pulumi-language-python")) for p in sys.path))
pulumi.export("inspect", "PYTHONINSPECT" in os.environ)
""",
        "the prog/__main__.py",
    )
    workspace.program("VALUE = 42\n", "the prog/beside.py")
    workspace.program("raise SystemExit('not this one')\n", "the prog/glob.py")
    outcome = workspace.preview(PYTHONSAFEPATH="1", PYTHONINSPECT="1")
    assert outcome.code == 0, outcome.text
    for line in (r"late\s*: 42", r'folder\s*: "the prog"', r"ours\s*: false", r"inspect\s*: false"):
        assert re.search(line, outcome.text), outcome.text


def test_a_project_without_a_program(workspace: Workspace) -> None:
    (workspace.folder / "__main__.py").unlink(missing_ok=True)
    outcome = workspace.preview()
    assert outcome.code == 1
    assert f"there is no program at {workspace.folder}/__main__.py" in outcome


def test_a_missing_virtualenv_says_what_to_run(workspace: Workspace) -> None:
    workspace.project("virtualenv: not there")
    workspace.program("six\n", "requirements.txt")
    outcome = workspace.preview()
    (workspace.folder / "requirements.txt").unlink()
    home = workspace.folder / "not there"
    assert outcome.code == 1
    assert f"no interpreter at {home}/bin/python; run `pulumi install`, or cd '{workspace.folder}' && " in outcome
    assert f"python3 -m venv '{home}' && '{home}/bin/python' -m pip install -r requirements.txt" in outcome


def test_a_virtualenv_without_the_sdk(workspace: Workspace, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    workspace.project(f"virtualenv: {tmp_path}/bare")
    outcome = workspace.preview()
    assert outcome.code == 1
    assert f"{tmp_path}/bare/bin/python has no usable pulumi package (No module named 'pulumi')" in outcome
    assert "Run `pulumi install`" in outcome


@pytest.mark.parametrize("option", ["toolchain: poetry", "typechecker: mypy"])
def test_an_unsupported_option_is_refused(workspace: Workspace, option: str) -> None:
    workspace.project(option)
    outcome = workspace.preview()
    assert outcome.code == 1
    assert f"unsupported runtime option `{option}` in the project file" in outcome


def test_the_host_borrows_the_projects_interpreter(workspace: Workspace) -> None:
    """`#!/usr/bin/env python3` may name a Python without the SDK, or with another one."""
    path = os.pathsep.join(p for p in workspace.env["PATH"].split(os.pathsep) if p != str(Path(sys.prefix, "bin")))
    workspace.project(f"toolchain: pip, virtualenv: '{sys.prefix}'")
    workspace.program("import pulumi, sys\npulumi.export('prefix', sys.prefix)\n")
    outcome = workspace.preview(PATH=path)
    assert outcome.code == 0, outcome.text
    assert f'"{sys.prefix}"' in outcome


def test_no_interpreter_with_the_sdk_at_all(workspace: Workspace, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    workspace.project("virtualenv: gone")
    outcome = workspace.preview(PATH=os.pathsep.join([f"{tmp_path}/bare/bin", workspace.env["PATH"]]))
    assert outcome.code != 0
    assert "no interpreter with the pulumi package" in outcome
    assert f"python3 -m venv '{workspace.folder}/gone' && " in outcome


def test_a_component_package_in_python(workspace: Workspace) -> None:
    workspace.project(more="plugins: {providers: [{name: comp, path: comp}]}")
    runtime = f"runtime: {{name: python, options: {{virtualenv: '{sys.prefix}'}}}}\n"
    workspace.program(runtime, "comp/PulumiPlugin.yaml")
    workspace.program(
        """
from typing import TypedDict
import pulumi
from pulumi.provider.experimental import component_provider_host

class Args(TypedDict):
    greeting: pulumi.Input[str]

class Hello(pulumi.ComponentResource):
    text: pulumi.Output[str]

    def __init__(self, name: str, args: Args, opts=None):
        super().__init__("comp:index:Hello", name, {}, opts)
        self.text = pulumi.Output.from_input(args["greeting"]).apply(lambda text: text + "!")
        self.register_outputs({"text": self.text})

component_provider_host(name="comp", components=[Hello])
""",
        "comp/__main__.py",
    )
    workspace.program("""
import pulumi
props = {"greeting": "hi", "text": None}
hello = pulumi.ComponentResource("comp:index:Hello", "hello", props, None, remote=True)
pulumi.export("urn", hello.urn)
""")
    outcome = workspace.preview("--diff")
    assert outcome.code == 0, outcome.text
    assert "comp:index:Hello: (create)" in outcome


# ------------------------------------------------------------------------------------------------------ interruptions
SLEEPER = """
import os, signal, time
{prepare}
print("pids", os.getpid(), os.getppid())
time.sleep(60)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")  # a zombie that nobody waits for is gone all the same
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize(
    ("how", "prepare", "seconds"),
    [
        (signal.SIGINT, "", 3),
        (signal.SIGKILL, "", 3),
        (signal.SIGKILL, "signal.signal(signal.SIGINT, signal.SIG_IGN)", 7),  # 4 of them are the program's last chance
    ],
    ids=["interrupt", "kill", "kill-with-a-deaf-program"],
)
def test_no_process_outlives_the_cli(workspace: Workspace, how: signal.Signals, prepare: str, seconds: float) -> None:
    workspace.program(SLEEPER.format(prepare=prepare))
    pids: list[int] = []
    with workspace.start("preview") as cli:
        try:
            assert cli.stdout
            text = ""
            while not (found := re.search(r"pids (\d+) (\d+)", text)):
                line = cli.stdout.readline()
                assert line, text
                text += line
            pids = [int(pid) for pid in found.groups()]
            assert all(map(alive, pids))
            begin = time.monotonic()
            cli.send_signal(how)
            while any(map(alive, pids)) and time.monotonic() < begin + seconds:
                time.sleep(0.02)
            left = [pid for pid in pids if alive(pid)]
            assert not left
            text += cli.communicate(timeout=seconds)[0]
            assert cli.returncode == (1 if how == signal.SIGINT else -signal.SIGKILL)
            assert time.monotonic() < begin + seconds
        finally:
            cli.kill()
            for pid in filter(alive, pids):
                os.kill(pid, signal.SIGKILL)
    assert "Traceback" not in text
    assert "KeyboardInterrupt" not in text
