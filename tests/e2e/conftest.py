"""Stacks on the real engine and the real API server, each with a project folder and a backend of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from dev.cluster import Cluster
from dev.cluster.processes import end, find_programs_in
from dev.toolchain import PROVIDER, PULUMI, ensure, link_provider
from tests.conftest import REPOSITORY

PASSPHRASE = "a passphrase of the tests' own"


@dataclass
class Project:
    """One project folder with one stack."""

    folder: Path
    environment: dict[str, str]
    stack: str

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def configure(self, **values: Any) -> None:
        """Lays values over the stack's config."""
        path = self.folder / f"Pulumi.{self.stack}.yaml"
        content = yaml.safe_load(path.read_text()) or {}
        for key, value in values.items():
            content.setdefault("config", {})[f"loco:{key}"] = value
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def set_secrets(self, **values: str) -> None:
        """Puts secrets into the stack's config."""
        pairs = [word for name, value in values.items() for word in ("--secret", f"{name}={value}")]
        self.pulumi("config", "set-all", *pairs, "--stack", self.stack)

    def pulumi(self, *arguments: str, succeeds: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs the CLI; its output comes without colours. Fails the test if it ends otherwise than expected."""
        command = ["pulumi", *arguments, "--non-interactive", "--color=never"]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300
        )
        if (done.returncode == 0) is not succeeds:
            pytest.fail(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def up(self, **options: bool) -> subprocess.CompletedProcess[str]:
        return self.pulumi("up", "--yes", "--skip-preview", "--stack", self.stack, **options)

    def preview(self, *arguments: str, **options: bool) -> subprocess.CompletedProcess[str]:
        return self.pulumi("preview", "--stack", self.stack, *arguments, **options)

    def events(self, *arguments: str) -> list[dict[str, Any]]:
        """What the engine did in an `up` or `destroy`, in its own order."""
        log = self.folder / "events.json"
        log.unlink(missing_ok=True)
        self.pulumi(*arguments, "--yes", "--skip-preview", "--stack", self.stack, "--event-log", str(log))
        return [json.loads(line) for line in log.read_text().splitlines()]

    def outputs(self) -> dict[str, Any]:
        done = self.pulumi("stack", "output", "--json", "--stack", self.stack)
        values: dict[str, Any] = json.loads(done.stdout)
        return values

    def raw_state(self) -> str:
        """The state files as they lie on the disk."""
        backend = self.folder / "backend"
        return "\n".join(path.read_text(errors="replace") for path in sorted(backend.rglob("*")) if path.is_file())

    def resources(self) -> list[dict[str, Any]]:
        exported = json.loads(self.pulumi("stack", "export", "--stack", self.stack).stdout)
        found: list[dict[str, Any]] = exported["deployment"].get("resources", [])
        return found


@pytest.fixture(scope="session")
def pulumi_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("pulumi-home")
    link_provider(ensure((PULUMI, PROVIDER)), home)
    yield home
    end(find_programs_in(home))  # providers whose engine was killed


@pytest.fixture(scope="session")
def make_project(
    tools_bin: Path, pulumi_home: Path, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Project]:
    """Makes a project with the repository's own program; keyword arguments are the stack's config."""

    def make(models: dict[str, str], *, stack: str = "dev", **config: Any) -> Project:
        folder = tmp_path_factory.mktemp("project")
        (folder / "backend").mkdir()
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PULUMI_")},
            "PATH": f"{tools_bin}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_BACKEND_URL": f"file://{folder / 'backend'}",
            "PULUMI_HOME": str(pulumi_home),
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_ERROR_OUTPUT_STRING": "true",
            "PULUMI_DEBUG_COMMANDS": "true",  # for --event-log
            "KUBECONFIG": str(cluster.kubeconfig),
        }
        project = Project(folder, environment, stack)
        project.write("__main__.py", (REPOSITORY / "__main__.py").read_text())
        runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
        project.write("Pulumi.yaml", yaml.safe_dump({"name": "loco", "runtime": runtime}))
        project.write(f"Pulumi.{stack}.yaml", "config: {}\n")
        for file, text in models.items():
            project.write(f"models/{file}", text)
        project.configure(
            **{
                "files": ["models/*.yaml"],
                "namespace": folder.name.rstrip("-"),
                "cluster": {"context": "loco-test", "identifier": "tests", "createNamespaces": True},
                **config,
            }
        )
        project.pulumi("stack", "init", stack)
        return project

    return make
