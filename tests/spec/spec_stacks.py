"""A project's folder with one model file, and the stack that its config makes of it."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import yaml

from loco.spec import StackSpec, read_stack

SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: NAME}
spec: {model: {uri: hf://a/b}}
"""


def service(name: str, **spec: Any) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(SERVICE.replace("NAME", name))
    document["spec"] |= spec
    return document


def stack(root: Path, config: str = "", **more: Any) -> StackSpec:
    """The stack of a Pulumi.dev.yaml whose project's values are ``config``, from line 2 on."""
    lines = [f"  loco:{line}" if line and line[0] not in " #-" else f"  {line}" for line in dedent(config).splitlines()]
    file = root / "Pulumi.dev.yaml"
    file.write_text("\n".join(["config:", *lines]) + "\n")
    values = {
        key.removeprefix("loco:"): item for key, item in (yaml.safe_load(file.read_text())["config"] or {}).items()
    }
    return read_stack(root, {"namespace": "llm", **values}, config_file=file, **more)


def names(read: StackSpec) -> list[str]:
    return [document.name for document in read.documents]
