"""The tool builder, with a stub in place of the Go compiler."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dev.messages import Problem
from dev.toolchain.build import built
from dev.toolchain.golang import Go, find_go
from dev.toolchain.stamp import stamp
from dev.toolchain.table import ALL_TOOLS, EGCTL, GO_AT_LEAST, MODULE_FILES, PULUMI_YAML, Copy, Tool
from dev.toolchain.tools import Tools, ensure, link_bin, which

REPOSITORY = Path(__file__).resolve().parents[2]
GADGET = Tool(
    name="gadget",
    version="1.0.0",
    usually="2 minutes",
    programs=(("gadget", "example.com/gadget"),),
    stamps=("main.version=1.0.0",),
)
FAKE_GO = """\
#!/bin/sh
case "$1" in
  env) printf 'go1.99.0\\nlinux\\namd64\\n' ;;
  mod) printf '{"Dir": "%s"}' "$FAKE_GO_MODULE" ;;
  build)
    echo "$PWD" >> "$FAKE_GO_LOG"
    while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
    printf half > "$out"
    sleep "${FAKE_GO_SLEEP:-0}"
    if [ -n "$FAKE_GO_FAIL" ]; then seq 1 40; echo "undefined: gizmo" >&2; exit 1; fi
    printf '#!/bin/sh\\necho gadget\\n' > "$out"
    chmod +x "$out" ;;
esac
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stub on PATH; the returned file gets a line for each build."""
    folder = tmp_path / "fake-go"
    folder.mkdir()
    (folder / "go").write_text(FAKE_GO)
    (folder / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    log = tmp_path / "calls"
    log.touch()
    monkeypatch.setenv("FAKE_GO_LOG", str(log))
    return log


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    return new_modules(tmp_path / "modules")


def new_modules(root: Path) -> Path:
    (root / "gadget").mkdir(parents=True)
    (root / "gadget" / "go.mod").write_text("module gadget\n")
    (root / "gadget" / "go.sum").write_text("")
    return root


def builds(calls: Path) -> int:
    return len(calls.read_text().splitlines())


def leftovers(cache: Path) -> list[Path]:
    return [path for path in (cache / "tools").rglob("*") if path.name.startswith(".unfinished")]


def test_stamp_follows_every_input(modules: Path) -> None:
    go = Go("go1.26.6", "linux/amd64", None)
    stamps = {stamp(GADGET, go, modules)}
    stamps.add(stamp(replace(GADGET, version="1.0.1"), go, modules))
    stamps.add(stamp(replace(GADGET, stamps=()), go, modules))
    stamps.add(stamp(GADGET, replace(go, version="go1.26.7"), modules))
    stamps.add(stamp(GADGET, replace(go, platform="darwin/arm64"), modules))
    (modules / "gadget" / "go.sum").write_text("example.com/dependency v1.0.0 h1:x\n")
    stamps.add(stamp(GADGET, go, modules))
    (modules / "gadget" / "main.go").write_text("package main\n")
    stamps.add(stamp(GADGET, go, modules))
    assert len(stamps) == 7


def test_stamp_ignores_what_does_not_matter(modules: Path) -> None:
    go = Go("go1.26.6", "linux/amd64", None)
    before = stamp(GADGET, go, modules)
    (modules / "gadget" / "schema.json").write_text("{}")
    assert stamp(replace(GADGET, usually="1 hour"), replace(go, program=Path("/x/go")), modules) == before
    assert before.startswith("1.0.0-")


def test_builds_once_for_all_checkouts(
    calls: Path, modules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    program = ensure([GADGET], cache, modules).program("gadget")
    assert subprocess.check_output([program], text=True) == "gadget\n"
    said = capsys.readouterr()
    assert "building gadget 1.0.0 (usually 2 minutes the first time)..." in said.err
    assert said.out == ""

    second = new_modules(tmp_path / "second")
    assert ensure([GADGET], cache, second).program("gadget") == program
    assert builds(calls) == 1
    assert capsys.readouterr().err == ""
    assert leftovers(cache) == []


def test_checkout_stays_as_it_is(calls: Path, modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "downloaded"
    module.mkdir()
    (module / "schema.json").write_text("{}")
    (module / "schema.json").chmod(0o444)
    monkeypatch.setenv("FAKE_GO_MODULE", str(module))
    copies = (Copy("example.com/gadget", ("*.json",), "extra"),)
    tool = replace(GADGET, embeds=copies, data=copies)
    home = built(tool, find_go(), tmp_path / "cache", modules)
    assert (home / "extra" / "schema.json").read_text() == "{}"
    assert sorted(path.name for path in (modules / "gadget").iterdir()) == ["go.mod", "go.sum"]


def test_missing_data_file_is_named(
    calls: Path, modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_MODULE", str(tmp_path))
    tool = replace(GADGET, data=(Copy("example.com/gadget", ("gone/*.yaml",), "extra"),))
    with pytest.raises(Problem, match=r"example\.com/gadget has no gone/"):
        built(tool, find_go(), tmp_path / "cache", modules)


def test_failure_shows_the_end_of_the_log_and_leaves_nothing(
    calls: Path, modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("FAKE_GO_FAIL", "yes")
    with pytest.raises(Problem) as failure:
        ensure([GADGET], cache, modules)
    text = str(failure.value)
    assert "building gadget failed (exit code 1)" in text
    assert "    40\n    undefined: gizmo\n" in text
    assert "    20\n" not in text
    log = Path(text.rsplit(": ", 1)[1])
    assert "undefined: gizmo" in log.read_text()
    assert [path.name for path in (cache / "tools" / "gadget").iterdir()] == []

    monkeypatch.delenv("FAKE_GO_FAIL")
    assert ensure([GADGET], cache, modules).program("gadget").exists()


def test_two_checkouts_do_not_build_at_once(
    calls: Path,
    modules: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FAKE_GO_SLEEP", "0.5")
    cache = tmp_path / "cache"
    threads = [threading.Thread(target=ensure, args=([GADGET], cache, modules)) for _ in range(2)]
    for thread in threads:
        thread.start()
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    assert builds(calls) == 1
    assert "waiting: another checkout is building tools" in capsys.readouterr().err


def test_killed_build_leaves_nothing_that_counts(
    calls: Path, modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    code = (
        "from pathlib import Path; from tests_gadget import GADGET; from dev.toolchain import ensure;"
        f"ensure([GADGET], Path({str(cache)!r}), Path({str(modules)!r}))"
    )
    (tmp_path / "tests_gadget.py").write_text(f"from dev.toolchain.table import Tool\nGADGET = {GADGET!r}\n")
    env = {**os.environ, "FAKE_GO_SLEEP": "3", "PYTHONPATH": f"{tmp_path}:{REPOSITORY}"}
    builder = subprocess.Popen([sys.executable, "-c", code], env=env, start_new_session=True)
    wait_until(lambda: builds(calls) == 1)
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    assert leftovers(cache)
    assert ensure([GADGET], cache, modules).program("gadget").read_text().startswith("#!")
    assert leftovers(cache) == []


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_go_that_is_too_old_is_not_used(calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_go().program == tmp_path / "fake-go" / "go"
    (tmp_path / "fake-go" / "go").write_text("#!/bin/sh\nprintf 'go1.22.1\\nlinux\\namd64\\n'\n")
    assert find_go().program is None
    assert find_go().version == "go" + ".".join(map(str, GO_AT_LEAST))


def test_our_own_folder_is_not_taken_for_an_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.touch(0o755)
    ours = link_bin(Tools({"pulumi": pulumi}), tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{ours}{os.pathsep}{os.defpath}")
    assert (ours / "pulumi").exists()
    assert (ours / "pulumi-language-python").is_symlink()
    assert which("pulumi") is None


@pytest.mark.parametrize("tool", [*ALL_TOOLS, EGCTL, PULUMI_YAML], ids=lambda tool: tool.name)
def test_module_is_pinned_and_needs_no_newer_go(tool: Tool) -> None:
    text = (MODULE_FILES / tool.name / "go.mod").read_text()
    needed = next(line for line in text.splitlines() if line.startswith("go ")).removeprefix("go ")
    assert tuple(map(int, needed.split("."))) <= GO_AT_LEAST
    if tool.name != "kubernetes-provider":  # its version is the release that a commit became
        assert f" v{tool.version}\n" in text or f" v{tool.version} " in text
    assert (MODULE_FILES / tool.name / "go.sum").stat().st_size


def test_copies_come_from_modules_that_are_pinned() -> None:
    for tool in ALL_TOOLS:
        text = (MODULE_FILES / tool.name / "go.mod").read_text()
        for copy in (*tool.embeds, *tool.data):
            assert f"{copy.module} v" in text, json.dumps(copy.module)
