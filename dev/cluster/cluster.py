"""A Kubernetes cluster made of five plain processes that live on after `make up`."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from dev.cluster import contents, kubeconfig, parts, port, processes
from dev.cluster.client import Client
from dev.cluster.files import Files
from dev.cluster.parts import PROGRAMS, Part
from dev.messages import Problem, duration, say
from dev.toolchain import CLUSTER_TOOLS, Tools, ensure
from dev.toolchain.lock import exclusive
from dev.toolchain.slow_step import tail

PATIENCE = 120.0  # seconds until a cluster that is not ready counts as broken
EVERY = 5.0  # seconds between two lines of progress


class Cluster:
    """Start it, use `kubeconfig`, stop it. Two of them need two state folders, nothing else."""

    def __init__(self, state_dir: Path, context: str = "loco-dev", tools: Tools | None = None) -> None:
        self._files = Files(state_dir.resolve())
        self._context = context
        self._tools = tools
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def kubeconfig(self) -> Path:
        return self._files.kubeconfig

    @property
    def token(self) -> str:
        return self._files.token()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._files.port.read_text().strip()}"

    def log(self, part: str) -> Path:
        return self._files.log(part)

    def client(self) -> Client:
        return Client(self.url, self.token, self._files.authority)

    def running(self) -> dict[str, list[processes.Process]]:
        """Return the cluster's processes by part, whoever started them."""
        return processes.find(self._files.folder, PROGRAMS)

    def is_running(self) -> bool:
        return bool(self.running())

    def start(self) -> None:
        """Bring the cluster up, or leave it alone when it is up and healthy."""
        tools = self._tools = self._tools or ensure(CLUSTER_TOOLS)
        self._files.folder.mkdir(parents=True, exist_ok=True)
        with exclusive(self._files.folder / "lock", "another command is starting this cluster"):
            running = self.running()
            if self._is_current(running, tools) and self._is_healthy():
                say(f"the embedded cluster is running already ({self.url})")
                return
            if running:
                self._report_trouble(running)
                self._end_all()
            self._boot(tools)

    def stop(self) -> None:
        """End every process of the cluster; its data stay. Fine to repeat."""
        if self._files.folder.is_dir():
            with exclusive(self._files.folder / "lock", "another command is using this cluster"):
                self._end_all()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _boot(self, tools: Tools) -> None:
        say("starting the embedded cluster (usually 10 s)...")
        begin = time.monotonic()
        files = self._files
        token = files.prepare()
        try:
            self._spawn(parts.storage(tools, files))
            self._spawn(parts.server(tools, files, port.choose(files.port)))
            self._wait(lambda: files.authority.exists() and self.client().is_ready())
            kubeconfig.write(files, self._context, self.url, token)
            client = self.client()
            contents.release_nodes(client)
            for part in parts.controllers(tools, files):
                self._spawn(part)
            contents.fill(client, tools)
            self._wait(lambda: contents.is_filled(client))
        except BaseException:
            self._end_all(patience=2)  # without etcd the API server does not end when asked
            raise
        say(f"  the embedded cluster is ready after {duration(time.monotonic() - begin)} ({self.url})")

    def _spawn(self, part: Part) -> None:
        """Start a process that neither the terminal's Ctrl-C nor its closing reaches."""
        with self.log(part.name).open("wb") as log:
            self._children[part.name] = subprocess.Popen(
                part.command,
                cwd=self._files.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait(self, ready: Callable[[], bool]) -> None:
        begin = last = time.monotonic()
        while not ready():
            self._check_children()
            now = time.monotonic()
            if now - begin > PATIENCE:
                logs = "\n".join(f"{name}:\n{tail(self.log(name), 5)}" for name in self._children)
                raise Problem(f"the cluster is not ready after {duration(PATIENCE)}\n{logs}")
            if now - last > EVERY:
                last = now
                say(f"  ... waiting for the cluster: {duration(now - begin)}")
            time.sleep(0.2)
        self._check_children()

    def _check_children(self) -> None:
        for name, child in self._children.items():
            if child.poll() is not None:
                raise Problem(
                    f"{name} ended at once (exit code {child.returncode}), so the cluster cannot"
                    f" start:\n{tail(self.log(name))}\nthe whole log: {self.log(name)}"
                )

    def _is_current(self, running: dict[str, list[processes.Process]], tools: Tools) -> bool:
        """Say whether each part runs once, from the program that is pinned now."""
        return all([one.program for one in running.get(name, [])] == [tools.program(name)] for name in PROGRAMS)

    def _is_healthy(self) -> bool:
        try:
            return self.kubeconfig.exists() and self.client().is_ready()
        except (OSError, ValueError):
            return False

    def _report_trouble(self, running: dict[str, list[processes.Process]]) -> None:
        dead = [name for name in PROGRAMS if name not in running]
        for name in dead:
            say(f"{name} died; its log ended with:\n{tail(self.log(name))}")
        if not dead:
            say("the embedded cluster runs, but is unhealthy or of another version")
        say("restarting the cluster; its data stay")

    def _end_all(self, patience: float = 10) -> None:
        running = self.running()
        etcd = running.pop("etcd", [])
        processes.end([one for some in running.values() for one in some], patience)
        processes.end(etcd)  # last, so that nobody waits for it while ending
        for child in self._children.values():
            child.wait()
        self._children.clear()
