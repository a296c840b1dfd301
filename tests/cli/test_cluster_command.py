"""``check --context`` as a command, as far as it goes without a cluster."""

import importlib.abc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
NS = ("--namespace", "llm")
TOKEN = "a-token-that-nobody-may-see"
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:9"}}, {name: d, cluster: {servre: a}}]
contexts: [{name: x, context: {cluster: c, user: u}}, {name: lost, context: {cluster: nowhere, user: u}},
  {name: homeless, context: {cluster: d, user: u}}]
users: [{name: u, user: {token: TOKEN}}]
""".replace("TOKEN", TOKEN)


@pytest.fixture
def kubeconfig(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("kubernetes")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(folder))
    path = folder / "kubeconfig"
    path.write_text(KUBECONFIG)
    return path


def test_kubeconfig_without_context(loco: Run) -> None:
    done = loco("check", "good.yaml", *NS, "--kubeconfig", "k")
    assert done.status == 2
    assert "--kubeconfig goes with --context" in done.err


class _Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.partition(".")[0] == "kubernetes":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def test_without_the_client(loco: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [_Absent(), *sys.meta_path])
    for name in [name for name in sys.modules if name.startswith(("kubernetes.", "loco.cli.cluster."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "kubernetes", raising=False)
    done = loco("check", "good.yaml", *NS, "--context", "x")
    assert (done.status, done.out) == (2, "")
    assert "pip install 'loco[cluster]'" in done.err
    assert loco("check", "good.yaml", *NS).status == 0


@pytest.mark.usefixtures("folder")
def test_without_a_context_no_client_is_loaded() -> None:
    program = (
        "import sys; from loco.cli.main import main; main(['check', 'good.yaml', '--namespace', 'llm'])\n"
        "print(*[n for n in sys.modules if n.partition('.')[0] in ('kubernetes', 'urllib3') or 'cli.cluster' in n])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ("x", ["https://127.0.0.1:9 doesn't answer", "refused"]),
        ("y", ["no context is called y", "homeless, lost, x"]),
        ("lost", ["can't be used"]),
        ("homeless", ["names no server"]),
    ],
)
def test_unreachable(loco: Run, kubeconfig: Path, context: str, words: list[str]) -> None:
    done = loco("check", "warned.yaml", *NS, "--context", context, "--kubeconfig", str(kubeconfig), "-o", "json")
    assert (done.status, done.err) == (1, "")
    *others, finding = json.loads(done.out)
    assert {other["code"] for other in others} == {"LOCO-REMOVED"}, "the plan's own findings are there too"
    assert (finding["code"], finding["severity"], finding["value"]) == ("LOCO-UNREACHABLE", "error", context)
    assert finding["cure"]
    assert [word for word in words if word not in json.dumps(finding, ensure_ascii=False)] == []


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "",
        "- a",
        "contexts: 3",
        KUBECONFIG.replace("token:", "exec:"),
        KUBECONFIG.replace("name: u,", "nam: u,"),
        KUBECONFIG.replace('"https://127.0.0.1:9"', "[1]"),
    ],
)
def test_odd_kubeconfigs(loco: Run, kubeconfig: Path, text: str) -> None:
    kubeconfig.write_text(text)
    done = loco("check", "good.yaml", *NS, "--context", "x", "--kubeconfig", str(kubeconfig))
    assert done.status == 1
    assert "LOCO-UNREACHABLE" in done.err
    assert TOKEN not in done.err + done.out


def test_no_kubeconfig(loco: Run, kubeconfig: Path) -> None:
    kubeconfig.unlink()
    done = loco("check", "good.yaml", *NS, "--context", "x")
    assert done.status == 1
    assert "there is no kubeconfig at ~/.kube/config" in done.err


def test_the_stack_names_its_kubeconfig(loco: Run, kubeconfig: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to the project's folder, wherever in it the command runs."""
    folder = kubeconfig.parent
    (folder / "Pulumi.yaml").write_text("name: serving\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(
        "config:\n  serving:files: [good.yaml]\n  serving:namespace: llm\n"
        "  serving:cluster: {context: other, kubeconfig: kubeconfig}\n"
    )
    (folder / "deep").mkdir()
    monkeypatch.chdir(folder / "deep")
    done = loco("check", "--context", "x")
    assert done.status == 1
    assert "https://127.0.0.1:9 doesn't answer" in done.err
