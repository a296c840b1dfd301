"""The folders below ``examples/``, as projects beside a test's own: the same backend, keys and kubeconfig."""

import shutil
import sys
from typing import Any

import yaml

from tests.conftest import REPOSITORY
from tests.e2e.conftest import Project


def example(name: str, beside: Project, *, stack: str = "dev", **config: Any) -> Project:
    """A copy of an example with a stack of its own.

    Args:
        name: of its folder, and of its project.
        beside: the test's own project.
        stack: the stack that is made; its config is that of the example's stack dev.
        config: laid over that config.
    """
    folder = beside.folder / name
    shutil.copytree(REPOSITORY / "examples" / name, folder, ignore=shutil.ignore_patterns(".venv", "__pycache__"))
    project = Project(folder, beside.environment, stack)
    about = yaml.safe_load((folder / "Pulumi.yaml").read_text())
    about["runtime"]["options"]["virtualenv"] = sys.prefix
    project.write("Pulumi.yaml", yaml.safe_dump(about))
    settings = yaml.safe_load((folder / "Pulumi.dev.yaml").read_text())
    settings["config"] |= {f"{name}:{key}": value for key, value in config.items()}
    project.write(f"Pulumi.{stack}.yaml", yaml.safe_dump(settings, sort_keys=False))
    project.pulumi("stack", "init", stack)
    return project
