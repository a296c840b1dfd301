"""loco init: a project that is accepted as it stands, written whole or not at all."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.init.conftest import FILES, WELL, files_in
from tests.conftest import REPOSITORY

Run = Callable[..., Any]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--context", "dev-eu"),
        ("--stack", "prod", "--context", "arn:aws:eks:eu-central-1:1:cluster/a: #b", "--namespace", "models"),
        ("--name", "1.0", "--stack", "1e3", "--context", "on", "--identifier", "null"),
        ("--name", "true", "--namespace", "123", "--context", '"quoted" \\ {x}'),
        ("--name", "A_b-c.d", "--stack", "A_b-c.d"),
        ("--context", "\N{GRINNING FACE} öst", "--identifier", "\N{SNOWMAN}"),
    ],
)
def test_what_is_written_is_accepted_without_a_word(
    loco: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    assert loco("init", "serving", *options).status == 0
    monkeypatch.chdir("serving")
    chosen = dict(zip(options[::2], options[1::2], strict=True))
    stack = chosen.get("--stack", "dev")
    assert loco("check", "--stack", stack) == WELL
    name = chosen.get("--name", "serving")
    assert yaml.safe_load(Path("Pulumi.yaml").read_text())["name"] == name
    config = yaml.safe_load(Path(f"Pulumi.{stack}.yaml").read_text())["config"]
    assert all(key.startswith(f"{name}:") for key in config)
    assert config[f"{name}:namespace"] == chosen.get("--namespace", "llm")
    cluster = config[f"{name}:cluster"]
    assert cluster["context"] == chosen.get("--context", "your-context")
    assert cluster["identifier"] == chosen.get("--identifier", chosen.get("--context", "your-cluster"))
    assert (f"{name}:presets" in config) is (stack != "dev")


def test_the_files(loco: Run) -> None:
    done = loco("init", "serving", "--requirement", "loco @ git+https://git.example.com/loco@v1")
    assert (done.status, done.err) == (0, "")
    assert files_in(Path("serving")) == FILES
    assert {line.removeprefix("wrote serving/") for line in done.out.splitlines() if line.startswith("wrote")} == FILES
    assert done.out.splitlines()[-1] == "next: cd serving && loco check --stack dev"
    read = {file: Path("serving", file).read_text() for file in FILES}
    assert read["requirements.txt"] == "loco @ git+https://git.example.com/loco@v1\n"
    assert read["__main__.py"] == (REPOSITORY / "__main__.py").read_text()
    assert read[".github/workflows/preview.yml"] == (REPOSITORY / ".github/workflows/preview.yml").read_text()
    assert not any("<" in text for file, text in read.items() if not file.startswith(".github"))
    assert yaml.safe_load(read["Pulumi.yaml"])["runtime"]["options"]["virtualenv"] == ".venv"
    assert "/.venv" in read[".gitignore"].splitlines(), "with a slash behind it a link would be committed"


def test_in_this_folder_under_its_name(loco: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("My Models").mkdir()
    monkeypatch.chdir("My Models")
    done = loco("init")
    assert done.status == 2
    assert "--name My-Models" in done.err
    assert files_in(Path()) == set()
    assert loco("init", "--name", "My-Models").status == 0
    assert files_in(Path()) == FILES
    assert loco("check") == WELL


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--name", "a/b"), "--name a-b"),
        (("--name", "."), "--name serving"),
        (("--name", "x" * 101), "at most 100"),
        (("--name", ""), "no name of a project"),
        (("--name", "kubernetes"), "config keys"),
        (("--name", "pulumi"), "config keys"),
        (("--stack", "../dev"), "no name of a stack"),
        (("--stack", "a b"), "--stack a-b"),
        (("--namespace", "A_b"), "no namespace"),
        (("--context", ""), "--context"),
        (("--context", "a\nb"), "--context"),
        (("--identifier", " "), "--identifier"),
        (("--requirement", "a\nb"), "--requirement"),
    ],
)
def test_faulty_names_are_refused_and_nothing_is_written(loco: Run, options: tuple[str, ...], said: str) -> None:
    done = loco("init", "serving", *options)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert not Path("serving").exists()


def test_every_file_that_is_there_is_named_and_none_is_written(loco: Run) -> None:
    Path("serving/models").mkdir(parents=True)
    for file in ("README.md", "models/chat.yaml"):
        Path("serving", file).write_text("mine\n")
    Path("serving/requirements.txt").symlink_to("nowhere")
    Path("serving/.github").write_text("no folder\n")
    before = files_in(Path("serving"))
    done = loco("init", "serving")
    assert (done.status, done.out) == (1, "")
    for file in ("README.md", "models/chat.yaml", "requirements.txt"):
        assert f"{file} is there already, and nothing was written" in done.err
    assert ".github is there already and is no folder, so .github/workflows/preview.yml can't be made" in done.err
    assert done.err.endswith("4 errors, 0 warnings\n")
    assert files_in(Path("serving")) == before
    assert Path("serving/README.md").read_text() == "mine\n"


def test_among_other_files(loco: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("serving/models").mkdir(parents=True)
    Path("serving/models/notes.txt").write_text("mine\n")
    Path("serving/app.py").write_text("mine\n")
    assert loco("init", "serving").status == 0
    assert files_in(Path("serving")) == {*FILES, "models/notes.txt", "app.py"}
    assert Path("serving/app.py").read_text() == "mine\n"


def test_a_file_for_a_folder(loco: Run) -> None:
    Path("serving").write_text("mine\n")
    done = loco("init", "serving")
    assert (done.status, done.out) == (1, "")
    assert "can't be written" in done.err
    assert Path("serving").read_text() == "mine\n"


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("number", [1, 4, 9])
@pytest.mark.parametrize("exists", [False, True])
def test_an_interruption_leaves_nothing_behind(
    loco: Run, monkeypatch: pytest.MonkeyPatch, fault: BaseException, number: int, exists: bool
) -> None:
    if exists:
        Path("up/serving/models").mkdir(parents=True)
        Path("up/serving/models/mine.txt").write_text("mine\n")
    link, calls = os.link, []

    def interrupted(*arguments: Any) -> None:
        calls.append(arguments)
        if len(calls) == number:
            raise fault
        link(*arguments)

    monkeypatch.setattr(os, "link", interrupted)
    done = loco("init", "up/serving")
    assert done.status == (130 if isinstance(fault, KeyboardInterrupt) else 1)
    left = {str(path) for path in Path().rglob("*")}
    assert left == ({"up", "up/serving", "up/serving/models", "up/serving/models/mine.txt"} if exists else set())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_that_is_ended_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    program = (
        "import os, sys, time; from loco.cli.main import main; link = os.link\n"
        "def slow(*names):\n    link(*names); print('made one', flush=True); time.sleep(60)\n"
        "os.link = slow; sys.exit(main(['init', 'up/serving']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # ignored where the tests run in the background
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "made one\n"
        process.send_signal(number)
        assert process.wait(20) == 128 + number
    assert list(tmp_path.iterdir()) == []


def test_somebody_else_is_quicker(loco: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def late(made: Path, path: Path) -> None:
        if path.name == "README.md":
            path.write_text("theirs\n")
        link(made, path)

    monkeypatch.setattr(os, "link", late)
    done = loco("init", "serving")
    assert done.status == 1
    assert files_in(Path("serving")) == {"README.md"}
    assert Path("serving/README.md").read_text() == "theirs\n"


def test_a_file_system_without_links(loco: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert loco("init", "serving").status == 0
    assert files_in(Path("serving")) == FILES


def test_a_part_of_a_repository(loco: Run) -> None:
    Path("repository/.git").mkdir(parents=True)
    done = loco("init", "repository/serving")
    assert "move preview.yml there, with FOLDER: serving\n" in done.out
    Path("alone/.git").mkdir(parents=True)
    assert "move preview.yml there" not in loco("init", "alone").out


@pytest.mark.parametrize("folder", sorted(file.parent.name for file in REPOSITORY.glob("examples/*/README.md")))
def test_an_example_ignores_a_link_to_the_checkouts_environment(folder: str) -> None:
    assert "/.venv" in (REPOSITORY / "examples" / folder / ".gitignore").read_text().splitlines()
