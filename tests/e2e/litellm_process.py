"""The real LiteLLM with the config, the arguments and the environment that a plan gives its pods."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loco.plan import Plan
from tests.plan.stacks import one

_START_SECONDS = 120.0

Secrets = Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def data(self) -> Any:
        return json.loads(self.text)


@dataclass
class Running:
    """A gateway that answers."""

    url: str
    key: str
    process: "subprocess.Popen[bytes]"
    log: Path

    def get(self, path: str, key: str | None = None) -> Answer:
        return self._send(urllib.request.Request(f"{self.url}{path}"), key or self.key)

    def post(self, path: str, body: Mapping[str, Any], key: str | None = None) -> Answer:
        """Sends JSON; ``key=""`` sends none."""
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode())
        request.add_header("content-type", "application/json")
        return self._send(request, self.key if key is None else key)

    def chat(self, model: str, **more: Any) -> Answer:
        return self.post(
            "/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": "hi"}], **more}
        )

    def upload(self, path: str, fields: Mapping[str, str], file: bytes) -> Answer:
        """Sends a form with one file."""
        mark = "a-boundary-of-the-tests"
        parts = [f'--{mark}\r\ncontent-disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()]
        head = f'--{mark}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n'
        body = "".join(parts).encode() + head.encode() + file + f"\r\n--{mark}--\r\n".encode()
        request = urllib.request.Request(f"{self.url}{path}", body)
        request.add_header("content-type", f"multipart/form-data; boundary={mark}")
        return self._send(request, self.key)

    def _send(self, request: urllib.request.Request, key: str) -> Answer:
        if key:
            request.add_header("authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Answer(answer.status, answer.read().decode(errors="replace"), dict(answer.headers.items()))
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.code, refused.read().decode(errors="replace"), dict(refused.headers.items()))


@contextmanager
def running_litellm(
    command: Path, plan: Plan, secrets: Secrets, key: str, folder: Path, seen_as: Callable[[Path], str] = str
) -> Iterator[Running]:
    """Starts it and waits until it is ready; ends it afterwards.

    Args:
        command: the program.
        plan: with one gateway.
        secrets: by Secret and key.
        key: the master key that requests carry.
        folder: for the config and the log.
        seen_as: where the command finds a file of the folder.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [str(command), *_arguments(plan, seen_as(_written(plan, folder)), port)]
    log = folder / "litellm.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            arguments, env=_environment(plan, secrets), cwd=folder, stdout=output, stderr=subprocess.STDOUT
        )
    running = Running(f"http://127.0.0.1:{port}", key, process, log)
    try:
        _wait(running)
        yield running
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def validated(command: Path, plan: Plan, secrets: Secrets, folder: Path) -> str:
    """What ``--validate_config`` says. AssertionError where it refuses the config."""
    done = subprocess.run(
        [str(command), "--config", str(_written(plan, folder)), "--validate_config"],
        env=_environment(plan, secrets),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _written(plan: Plan, folder: Path) -> Path:
    file = folder / "config.yaml"
    file.write_text(one(plan, "ConfigMap").data["data"]["config.yaml"], encoding="utf-8")
    return file


def _container(plan: Plan) -> Mapping[str, Any]:
    (gateway,) = (m for m in plan.manifests if m.id.kind == "Deployment" and m.name.endswith("-litellm"))
    (container,) = gateway.data["spec"]["template"]["spec"]["containers"]
    return dict(container)


def _arguments(plan: Plan, file: str, port: int) -> list[str]:
    arguments: list[str] = list(_container(plan)["args"])
    for flag, value in (("--config", file), ("--host", "127.0.0.1"), ("--port", str(port))):
        arguments[arguments.index(flag) + 1] = value
    return arguments


def _environment(plan: Plan, secrets: Secrets) -> dict[str, str]:
    """Nothing of the tests' own but PATH; a Secret that isn't there leaves its variable unset, as the kubelet does."""
    environment = {"PATH": os.environ["PATH"]}
    for variable in _container(plan)["env"]:
        if "value" in variable:
            environment[variable["name"]] = variable["value"]
            continue
        reference = variable["valueFrom"]["secretKeyRef"]
        value = secrets.get((reference["name"], reference["key"]))
        assert value is not None or reference.get("optional"), f"pods would not start without {reference}"
        if value is not None:
            environment[variable["name"]] = value
    return environment


def _wait(running: Running) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if running.process.poll() is not None:
            break
        try:
            if running.get("/health/readiness").status == 200:
                return
        except OSError:
            pass
        time.sleep(0.3)
    raise AssertionError(f"LiteLLM is not ready:\n{running.log.read_text(errors='replace')[-4000:]}")
