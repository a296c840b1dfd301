"""Runs an engine container's command for real, with a stand-in for ``vllm`` that tells what it was given.

The test of the goldens imports ``with_runs``: it puts what the engine finally gets in the place of command and args,
as the recorded objects have it.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TELLS = "STAND-IN:"
# All that a start script may take from the image beside bash and vllm itself.
TOOLS = ("bash", "cat", "grep", "head", "sleep", "sort", "tail")
_VLLM = """#!{python}
import json, os, sys
if sys.argv[1:] == ["--version"]:
    sys.stdout.write(os.environ["STAND_IN_VERSION"])
    sys.exit(int(os.environ["STAND_IN_VERSION_STATUS"]))
print({tells!r} + json.dumps({{"argv": ["vllm", *sys.argv[1:]], "env": dict(os.environ)}}), flush=True)
"""
# Names ending in .late are found at the third question, those in .unknown never.
_GETENT = """#!/bin/bash
case $2 in
  *.unknown) exit 2 ;;
  *.late) asked=$(cat "$ASKED"); echo "x$asked" >"$ASKED"; if [ "$asked" != xx ]; then exit 2; fi ;;
esac
echo "10.0.0.9      $2"
echo "10.0.0.10     $2"
"""
_ENVIRONMENT = {"LWS_LEADER_ADDRESS": "leader.svc", "LWS_WORKER_INDEX": "1", "HOME": "/tmp"}


@dataclass(frozen=True)
class Run:
    """What came of a command: its status and output, and what vLLM got (None where it was never started)."""

    status: int
    output: str
    errors: str
    argv: list[str] | None
    env: dict[str, str]


class StandIn:
    """A folder of tools with a stand-in vLLM (and getent, which finds every leader at 10.0.0.9)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._write("vllm", _VLLM.format(python=sys.executable, tells=TELLS))
        self._write("getent", _GETENT)
        for tool in TOOLS:
            source = next(path for path in (Path("/usr/bin") / tool, Path("/bin") / tool) if path.exists())
            if not (folder / tool).exists():
                (folder / tool).symlink_to(source)

    def run(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        version: str = "0.23.0\n",
        version_status: int = 0,
        cwd: Path | None = None,
    ) -> Run:
        """Runs a command (with its args) in an environment of nothing but ``env`` and the tools."""
        settings = {"STAND_IN_VERSION": version, "STAND_IN_VERSION_STATUS": str(version_status)}
        whole = {**_ENVIRONMENT, **settings, **(env or {}), "PATH": str(self.folder)}
        done = subprocess.run(
            list(command),
            env=whole,
            cwd=cwd or self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        told = [json.loads(line[len(TELLS) :]) for line in done.stdout.splitlines() if line.startswith(TELLS)]
        assert len(told) <= 1, "vLLM was started more than once"
        argv, environment = (told[0]["argv"], told[0]["env"]) if told else (None, {})
        return Run(done.returncode, done.stdout, done.stderr, argv, environment)

    def run_container(self, container: Mapping[str, Any], **options: Any) -> Run:
        """Runs a container's command and args in its own plain environment variables, which ``env`` may add to."""
        env: dict[str, str] = {}
        for variable in container.get("env") or []:
            if "value" in variable:
                env[variable["name"]] = expanded(str(variable["value"]), env)
        env = {**env, "KSERVE_INFER_ROCE": "false", **options.pop("env", {})}
        words = [*container["command"], *(container.get("args") or [])]
        return self.run([expanded(str(word), env) for word in words], env, **options)

    def with_runs(self, value: Any) -> Any:
        """A copy of an object in which each container that starts vLLM has ``runs`` instead of command and args."""
        if isinstance(value, list):
            return [self.with_runs(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        if _starts_vllm(value):
            run = self.run_container(value)
            runs = run.argv if run.argv is not None else ["failed", run.errors[-200:]]
            value = {key: item for key, item in value.items() if key not in ("command", "args")} | {"runs": runs}
        return {key: self.with_runs(item) for key, item in value.items()}

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        os.chmod(path, 0o755)


def expanded(text: str, env: Mapping[str, str]) -> str:
    """A word of a command as the kubelet hands it over: $(NAME) of a known variable is replaced, $$ is one $."""

    def value(match: re.Match[str]) -> str:
        return "$" if match[0] == "$$" else env.get(match[1], match[0])

    return re.sub(r"\$\$|\$\(([^)]*)\)", value, text)


def _starts_vllm(value: Mapping[str, Any]) -> bool:
    command = value.get("command")
    if "name" not in value or "image" not in value or not isinstance(command, list) or not command:
        return False
    words = " ".join(map(str, [*command, *(value.get("args") or [])]))
    return command[0] == "vllm" or (str(command[0]).endswith("sh") and "vllm" in words)
