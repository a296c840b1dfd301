"""A stack to be registered under mocks, with a cluster that seems to answer."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loco.spec import StackSpec, read_stack

SERVICE = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "tiny"},
    "spec": {"model": {"uri": "hf://org/tiny"}, "replicas": 1},
}


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Iterator[Path]:
    """A kubeconfig whose server is a bare listening socket."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        yield write_kubeconfig(tmp_path / "kubeconfig", port)


def write_kubeconfig(path: Path, port: int) -> Path:
    path.write_text(
        f"""
apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "https://127.0.0.1:{port}"}}}}]
contexts: [{{name: loco-dev, context: {{cluster: c, user: u}}}}]
users: [{{name: u, user: {{token: t}}}}]
"""
    )
    return path


@pytest.fixture
def make_stack(tmp_path: Path, kubeconfig: Path) -> Callable[..., StackSpec]:
    """A StackSpec of one tiny service; keyword arguments are further config."""

    def make(*documents: dict[str, Any], stack: str = "dev", secrets: tuple[str, ...] = (), **config: Any) -> StackSpec:
        (tmp_path / "models").mkdir(exist_ok=True)
        values: dict[str, Any] = {
            "files": [],
            "namespace": "llm",
            "cluster": {
                "context": "loco-dev",
                "identifier": "here",
                "kubeconfig": str(kubeconfig),
                "createNamespaces": True,
            },
        }
        return read_stack(
            tmp_path, {**values, **config}, stack=stack, documents=documents or [SERVICE], secrets=secrets
        )

    return make
