"""The Makefile for real: a small program on an embedded cluster, and on a named one."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dev.cluster import Cluster
from dev.cluster.client import Refused
from dev.cluster.processes import find_programs_in
from dev.toolchain import ensure, link_bin
from dev.toolchain.tools import OWN_LANGUAGE_HOST

Make = Callable[..., "subprocess.CompletedProcess[str]"]
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not OWN_LANGUAGE_HOST.exists(), reason="the language host is not here yet"),
]


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted([folder, *folder.rglob("*")])
    }


def git_status(root: Path) -> str:
    return subprocess.check_output(["git", "status", "--porcelain"], cwd=root, text=True)


@pytest.fixture
def root(with_venv: Path) -> Iterator[Path]:
    yield with_venv
    Cluster(with_venv / ".loco" / "cluster").stop()


def test_up_preview_env_interruption_down(root: Path, make: Make, user_home: Path, user_env: dict[str, str]) -> None:
    cluster = Cluster(root / ".loco" / "cluster")
    before = snapshot(user_home / ".pulumi")

    preview = make(root, "preview")
    assert preview.returncode == 0, preview.stderr
    assert "not running, so this preview asks no API server" in preview.stderr
    assert cluster.running() == {}

    up = make(root, "up")
    assert up.returncode == 0, up.stdout + up.stderr
    assert "loco-dev" in up.stdout.splitlines()[-1]
    note = "/api/v1/namespaces/scratch/configmaps/note"
    assert cluster.client().get(note)["data"] == {"a": "b"}

    # The printed settings do the same as the commands, in a shell that had others.
    script = 'eval "$(make env)" && pulumi preview -s dev --expect-no-changes && pulumi stack output context'
    shell = subprocess.run(
        ["bash", "-c", script],
        cwd=root,
        env={**user_env, "PULUMI_CONFIG_PASSPHRASE": "another"},
        timeout=120,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shell.returncode == 0, shell.stdout + shell.stderr
    assert shell.stdout.splitlines()[-1] == "loco-dev"

    # A run that is killed leaves a lock and a half-made object; the next one says so and goes on.
    program = root / "__main__.py"
    program.write_text(program.read_text().replace('"b"', '"c"') + STUCK)
    kill_while_waiting(root, user_env, cluster)
    program.write_text(program.read_text().replace('"99"', '"1"'))
    subprocess.run(["git", "commit", "-qam", "changed"], cwd=root, env=AUTHOR, check=True)
    again = make(root, "up")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "releasing stack dev" in again.stderr
    assert "interrupted with 1 open operation(s)" in again.stderr
    assert cluster.client().get(note)["data"] == {"a": "c"}
    assert "deleted Deployment engine, which that run had half made" in again.stderr
    assert cluster.client().get(ENGINE)["status"]["readyReplicas"] == 1

    # Part of the cluster dies; `down` still deletes what there was, and leaves no process.
    os.kill(cluster.running()["kube-apiserver"][0].pid, signal.SIGKILL)
    down = make(root, "down")
    assert down.returncode == 0, down.stdout + down.stderr
    assert cluster.running() == {}
    assert find_programs_in(root / ".loco") == []
    repeated = make(root, "down")
    assert repeated.returncode == 0, repeated.stderr
    assert "nothing to destroy" in repeated.stderr

    assert git_status(root) == ""
    assert snapshot(user_home / ".pulumi") == before
    clean = make(root, "clean")
    assert clean.returncode == 0
    assert not (root / ".loco").exists()
    assert not (root / ".venv").exists()


AUTHOR = {
    **os.environ,
    **{f"GIT_{role}_{what}": "t@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
STUCK = """
k8s.apps.v1.Deployment(
    "engine",
    metadata={"name": "engine", "namespace": "scratch"},
    spec={
        "selector": {"matchLabels": {"app": "engine"}},
        "template": {
            "metadata": {"labels": {"app": "engine"}},
            "spec": {"containers": [
                {"name": "main", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "99"}}},
            ]},
        },
    },
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[space]),
)
"""


ENGINE = "/apis/apps/v1/namespaces/scratch/deployments/engine"


def kill_while_waiting(root: Path, env: dict[str, str], cluster: Cluster) -> None:
    """Start `make up`, and kill all of it while it waits for Pods that cannot be placed."""
    run = subprocess.Popen(
        ["make", "up"],
        cwd=root,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 90
    while not exists(cluster, ENGINE):
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert list((root / ".loco" / "backend" / ".pulumi" / "locks").rglob("*.json"))


def exists(cluster: Cluster, path: str) -> bool:
    try:
        cluster.client().get(path)
    except Refused:
        return False
    return True


def test_named_cluster(root: Path, make: Make, cluster: Cluster, user_home: Path, tmp_path: Path) -> None:
    """The session's cluster plays the user's own, with a Pulumi that is installed on PATH."""
    (user_home / ".pulumi" / "credentials.json").unlink()  # logged in nowhere
    installed = link_bin(ensure(), tmp_path / "installed")
    (installed / ".loco-tools").unlink()
    provider = ensure().program("pulumi-resource-kubernetes")
    (installed / provider.name).symlink_to(provider)
    before, running = snapshot(user_home / ".pulumi"), cluster.running()
    settings = {
        "PATH": f"{installed}{os.pathsep}{os.environ['PATH']}",
        "KUBECONFIG": str(cluster.kubeconfig),
    }

    up = make(root, "up", "CONTEXT=loco-dev", "STACK=mine", env=settings)
    assert up.returncode == 0, up.stdout + up.stderr
    assert "to keep it, copy it to Pulumi.mine.yaml" in up.stderr
    assert "building" not in up.stderr
    assert cluster.client().get("/api/v1/namespaces/scratch/configmaps/note")
    assert git_status(root) == ""
    assert not (root / ".loco" / "cluster").exists()

    refused = make(root, "up", "CONTEXT=other", "STACK=mine", env=settings)
    assert "stack mine remembers cluster context loco-dev; refused other" in refused.stderr

    down = make(root, "down", "CONTEXT=loco-dev", "STACK=mine", env=settings)
    assert down.returncode == 0, down.stdout + down.stderr
    assert cluster.running() == running
    assert git_status(root) == ""
    assert snapshot(user_home / ".pulumi") == before
