"""One Pulumi stack: the calls that the commands make."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.commands import children
from dev.messages import Problem

NO_SUCH_STACK = 6  # the CLI's exit code


@dataclass(frozen=True)
class Stack:
    program: Path
    name: str
    root: Path  # the project's folder
    env: Mapping[str, str]
    config_file: Path | None = None  # when it is not the project's Pulumi.NAME.yaml

    def exists(self) -> bool:
        code, _, errors = self._ask("stack", "--stack", self.name, "--show-name")
        if code == 0:
            return True
        if code == NO_SUCH_STACK or "no stack named" in errors:
            return False
        raise Problem(f"pulumi cannot look for stack {self.name}: {errors.strip()}")

    def create(self, secrets_provider: str, project: Path | None = None) -> None:
        """Create it; `project` is the folder in which Pulumi may write the stack's file."""
        create = ["stack", "init", self.name, "--no-select", "--secrets-provider", secrets_provider]
        code, _, errors = self._ask(*create, folder=project)
        if code:
            raise Problem(f"pulumi cannot create stack {self.name}: {errors.strip()}")

    def select(self) -> None:
        """Make it the one that `pulumi` without `--stack` means."""
        code, _, errors = self._ask("stack", "select", self.name)
        if code:
            raise Problem(f"pulumi cannot select stack {self.name}: {errors.strip()}")

    def up(self) -> None:
        self._run("up", "--yes", *self._flags())

    def preview(self) -> None:
        self._run("preview", "--diff", *self._flags())

    def destroy(self) -> None:
        """Destroy it as a whole or not at all: Pulumi would delete all but what is protected."""
        resources = self._deployment().get("resources") or []
        protected = [resource["urn"].rpartition("::")[2] for resource in resources if resource.get("protect")]
        if protected:
            raise Problem(
                f"stack {self.name} is protected, so nothing was destroyed: {', '.join(protected)};"
                " set `deletionProtection: false` in its config, run `pulumi up`, then this again"
            )
        self._run("destroy", "--yes", "--skip-preview", *self._flags())

    def show_outputs(self) -> None:
        self._run("stack", "output", "--stack", self.name)

    def cancel(self) -> None:
        code, _, errors = self._ask("cancel", "--yes", "--stack", self.name)
        if code:
            raise Problem(f"pulumi cannot release stack {self.name}: {errors.strip()}")

    def pending_operations(self) -> list[dict[str, Any]]:
        """Return what an interrupted run had begun and nobody has confirmed."""
        operations: list[dict[str, Any]] = self._deployment().get("pending_operations") or []
        return operations

    def is_empty(self) -> bool:
        deployment = self._deployment()
        return not (deployment.get("resources") or deployment.get("pending_operations"))

    def _deployment(self) -> dict[str, Any]:
        code, text, errors = self._ask("stack", "export", "--stack", self.name)
        if code:
            raise Problem(f"pulumi cannot read stack {self.name}: {errors.strip()}")
        deployment: dict[str, Any] = json.loads(text).get("deployment") or {}
        return deployment

    def refresh_after_interruption(self) -> None:
        """Compare with the cluster and drop the pending creations, which the next `up` repeats."""
        self._run("refresh", "--yes", "--skip-preview", "--clear-pending-creates", *self._flags())

    def _flags(self) -> list[str]:
        flags = ["--stack", self.name]
        return [*flags, "--config-file", str(self.config_file)] if self.config_file else flags

    def _run(self, *arguments: str) -> None:
        code = children.run([str(self.program), *arguments], self.env, self.root)
        if code:
            raise Problem(f"`pulumi {arguments[0]}` of stack {self.name} failed (exit code {code})")

    def _ask(self, *arguments: str, folder: Path | None = None) -> tuple[int, str, str]:
        command = [str(self.program), "--non-interactive", *arguments]
        return children.ask(command, self.env, folder or self.root)
