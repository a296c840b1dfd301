"""Whose processes are whose, and that ending them ends them."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

from dev.cluster.files import Files
from dev.cluster.port import choose
from dev.cluster.processes import end, find, find_programs_in, is_alive, parent_name, program_name


def start(program: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """A shell that waits without forking: a child would carry its arguments until it runs something else."""
    script = "trap '' TERM; echo ready; read line"
    started = subprocess.Popen([str(program), "-c", script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout is not None
    started.stdout.readline()
    return started


def test_only_parts_with_an_argument_in_the_folder_are_found_and_ended(tmp_path: Path) -> None:
    shell = Path(shutil.which("dash") or shutil.which("sh") or "/bin/sh").resolve()
    part = tmp_path / "etcd"
    shutil.copy(shell, part)
    folder, neighbor = tmp_path / "state", tmp_path / "state2"
    ours = start(part, f"--data-dir={folder}/etcd")
    others = [
        start(part, f"--data-dir={neighbor}/etcd"),
        start(shell, f"--data-dir={folder}/etcd"),
    ]
    try:
        found = find(folder, ["etcd"])
        assert [process.pid for process in found["etcd"]] == [ours.pid]
        assert found["etcd"][0].program == part
        assert sorted(process.pid for process in find_programs_in(tmp_path)) == sorted([ours.pid, others[0].pid])
        assert program_name(ours.pid) == "etcd"
        assert parent_name(ours.pid) == program_name(os.getpid())
        end(found["etcd"], patience=0.5)  # it does not listen to SIGTERM
        assert not is_alive(ours.pid)
        assert find(folder, ["etcd"]) == {}
        assert all(is_alive(other.pid) for other in others)
    finally:
        for process in (ours, *others):
            process.kill()
            process.wait()


def test_port_is_kept_while_it_is_free(tmp_path: Path) -> None:
    remembered = tmp_path / "port"
    first = choose(remembered)
    assert choose(remembered) == first
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert choose(remembered) != first


def test_secrets_are_private_random_and_kept(tmp_path: Path) -> None:
    one, two = Files(tmp_path / "one"), Files(tmp_path / "two")
    token = one.prepare()
    assert len(token) >= 32
    assert one.prepare() == token
    assert two.prepare() != token
    for path in (one.tokens, one.signing_key):
        assert path.stat().st_mode & 0o777 == 0o600
    assert one.folder.stat().st_mode & 0o777 == 0o700


def test_signing_key_is_a_real_key(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    files = Files(tmp_path)
    files.prepare()
    key = load_pem_private_key(files.signing_key.read_bytes(), password=None)
    assert isinstance(key, EllipticCurvePrivateKey)
    assert key.curve.name == "secp256r1"
