"""The real LiteLLM calls a service by HTTPS: it trusts the stack's authority through the file that its pods join."""

import json
import os
import socket
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dev.toolchain.litellm import ensure_litellm
from loco.components.certificate_making import make_authority, make_certificate
from loco.gateway.authorities import _GIVEN, _JOINED
from loco.plan import Plan
from tests.e2e.litellm_process import Running, running_litellm
from tests.e2e.openai_upstream import Upstream, running_upstream
from tests.gateway.configs import text_of
from tests.plan.stacks import gateway, one, plan_of, service

pytestmark = pytest.mark.e2e

KEY = "sk-" + "0f" * 24
SERVICE = "https://chat-kserve-workload-svc.llm.svc.cluster.local:8000"
REQUESTS = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "hi"}]},
    "/v1/completions": {"prompt": "hi"},
    "/v1/embeddings": {"input": "hi"},
}


@contextmanager
def served_by_https(upstream: Upstream, folder: Path) -> Iterator[int]:
    """The port of a proxy with the certificate in ``folder``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    behind = int(upstream.url.rpartition(":")[2])

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                with (
                    context.wrap_socket(self.request, server_side=True) as secure,
                    socket.create_connection(("127.0.0.1", behind)) as plain,
                ):
                    back = threading.Thread(target=_pump, args=(plain, secure), daemon=True)
                    back.start()
                    _pump(secure, plain)
                    back.join(5)
            except (ssl.SSLError, OSError):
                pass  # a client that doesn't trust it says no more

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def joined(plan: Plan, command: Path, folder: Path) -> None:
    """Runs the init container's script, with LiteLLM's own Python as in the image."""
    (given, result) = (folder / "given", folder / "joined")
    for each in (given, result):
        each.mkdir()
    (authority,) = plan.authorities
    (given / authority.key).write_text((folder / "ca.crt").read_text())
    (joining,) = one(plan, "Deployment", "main-litellm").data["spec"]["template"]["spec"]["initContainers"]
    script = joining["command"][2].replace(_GIVEN, str(given)).replace(_JOINED, str(result))
    environment = {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([*joining["command"][:2], script], env=environment, check=True)


def here(plan: Plan, port: int, folder: Path, trusts: bool) -> Plan:
    """The plan's gateway alone, with this machine's addresses and folders in place of the cluster's."""
    config = one(plan, "ConfigMap", "main-litellm-config")
    text = text_of(plan).replace(SERVICE, f"https://localhost:{port}")
    assert f"https://localhost:{port}/v1" in text
    front = one(plan, "Deployment", "main-litellm")
    data: dict[str, Any] = json.loads(json.dumps(front.data).replace(_JOINED, str(folder / "joined")))
    (container,) = data["spec"]["template"]["spec"]["containers"]
    if not trusts:
        container["env"] = [variable for variable in container["env"] if variable["name"] != "SSL_CERT_FILE"]
    return replace(
        plan,
        manifests=(replace(config, data={**config.data, "data": {"config.yaml": text}}), replace(front, data=data)),
    )


@pytest.fixture(scope="module", params=[True, False], ids=["trusting", "not trusting"])
def litellm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, bool]]:
    trusts: bool = request.param
    folder, command = tmp_path_factory.mktemp("trust"), ensure_litellm()
    plan = plan_of(service(), gateway({"via": "service"}), platform={"tls": True})
    assert not plan.errors
    (certificate,) = plan.certificates
    for name, text in json.loads(make_certificate(certificate, make_authority(certificate))).items():
        (folder / name).write_text(text)
    joined(plan, command, folder)
    secrets = {("main-litellm-master-key", "master-key"): KEY}
    with (
        running_upstream() as upstream,
        served_by_https(upstream, folder) as port,
        running_litellm(command, here(plan, port, folder, trusts), secrets, KEY, folder) as running,
    ):
        yield running, trusts


@pytest.mark.parametrize("path", REQUESTS)
def test_every_kind_of_request(path: str, litellm: tuple[Running, bool]) -> None:
    running, trusts = litellm
    answer = running.post(path, {"model": "tiny", **REQUESTS[path]})
    assert (answer.status == 200) is trusts, answer.text
    assert trusts or answer.status == 500


def test_public_authorities_are_trusted_too(litellm: tuple[Running, bool]) -> None:
    running, _ = litellm
    bundle = running.log.parent / "joined" / "ca.crt"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(bundle)
    assert len(context.get_ca_certs()) > 50
