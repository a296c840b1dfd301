"""What is done with the lock of a run that is gone, and with one that is not."""

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dev.commands.checkout import Checkout
from dev.commands.embedded import clean
from dev.commands.half_made import delete_half_made
from dev.commands.pulumi import Stack
from dev.commands.recovery import release
from dev.messages import Problem


class RecordingStack(Stack):
    def cancel(self) -> None:
        (self.root / "cancelled").touch()


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return RecordingStack(Path("pulumi"), "dev", tmp_path, {})


def lock(folder: Path, stack: str, pid: int, host: str) -> None:
    path = folder / ".pulumi" / "locks" / "organization" / "loco" / stack / "1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"pid": pid, "hostname": host}))


def test_lock_of_a_dead_run_is_released(stack: Stack, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release(stack, tmp_path)
    assert not (tmp_path / "cancelled").exists()
    lock(tmp_path, "other", os.getpid(), socket.gethostname())
    release(stack, tmp_path)
    assert not (tmp_path / "cancelled").exists()
    lock(tmp_path, "dev", os.getpid(), socket.gethostname())  # alive, but no Pulumi
    release(stack, tmp_path)
    assert (tmp_path / "cancelled").exists()
    assert "releasing stack dev: the run that had locked it is gone" in capsys.readouterr().err


def test_lock_of_a_live_run_is_respected(stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "pulumi"
    shutil.copy(Path(shutil.which("dash") or shutil.which("sh") or "/bin/sh").resolve(), program)
    run = subprocess.Popen([str(program), "-c", "while :; do sleep 0.1; done"])
    try:
        lock(tmp_path, "dev", run.pid, socket.gethostname())
        with pytest.raises(Problem, match=f"stack dev is in use by process {run.pid}"):
            release(stack, tmp_path)
    finally:
        run.kill()
        run.wait()
    assert not (tmp_path / "cancelled").exists()


def test_lock_from_another_host_is_not_judged(stack: Stack, tmp_path: Path) -> None:
    lock(tmp_path, "dev", 1, "elsewhere")
    with pytest.raises(Problem, match="locked from host elsewhere"):
        release(stack, tmp_path)


def test_only_pending_creations_are_deleted() -> None:
    deleted: list[str] = []

    class Server:
        def get(self, path: str) -> Any:
            kinds = {
                "/api/v1": ("namespaces", "Namespace", False),
                "/apis/apps/v1": ("deployments", "Deployment", True),
            }
            name, kind, namespaced = kinds[path]
            return {"resources": [{"name": name, "kind": kind, "namespaced": namespaced}]}

        def delete(self, path: str) -> bool:
            deleted.append(path)
            return True

    def operation(type_: str, version: str, kind: str, **metadata: str) -> dict[str, Any]:
        inputs = {"apiVersion": version, "kind": kind, "metadata": metadata}
        return {"type": type_, "resource": {"inputs": inputs}}

    operations = [
        operation("creating", "apps/v1", "Deployment", name="a", namespace="n"),
        operation("creating", "v1", "Namespace", name="n"),
        operation("creating", "apps/v1", "Deployment", name="b"),
        operation("updating", "apps/v1", "Deployment", name="kept"),
        operation("creating", "apps/v1", "Unknown", name="x"),
        {"type": "creating", "resource": {"inputs": {"metadata": "encrypted"}}},
        {"type": "creating", "resource": {}},
    ]
    delete_half_made(Server(), operations)  # type: ignore[arg-type]
    assert deleted == [
        "/apis/apps/v1/namespaces/n/deployments/a",
        "/api/v1/namespaces/n",
        "/apis/apps/v1/namespaces/default/deployments/b",
    ]


def test_clean_keeps_the_only_record_of_real_objects(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, tmp_path / ".loco")
    stacks = checkout.backend / ".pulumi" / "stacks" / "loco"
    stacks.mkdir(parents=True)
    for name, resources in (("dev", [1]), ("empty", []), ("prod", [1])):
        content = {"checkpoint": {"latest": {"resources": resources}}}
        (stacks / f"{name}.json").write_text(json.dumps(content))
    with pytest.raises(Problem, match="stack prod still has objects on a cluster of yours"):
        clean(checkout)
    (stacks / "prod.json").unlink()
    clean(checkout)
    assert not checkout.state.exists()
