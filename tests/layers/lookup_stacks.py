"""A project's folder whose service takes presets and base configs from several places."""

from pathlib import Path
from typing import Any

import yaml

from loco.layers import Resolved, resolve
from loco.model import Finding
from loco.spec import StackSpec, read_stack

API = "serving.kserve.io/v1alpha2"


def config(name: str, namespace: str | None = None, **spec: Any) -> dict[str, Any]:
    """A base config's document."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": API, "kind": "LLMInferenceServiceConfig", "metadata": metadata, "spec": spec}


def service(*refs: str, **spec: Any) -> dict[str, Any]:
    """The service chat, with base references."""
    spec = {"model": {"uri": "hf://a/b"}, **({"baseRefs": [{"name": ref} for ref in refs]} if refs else {}), **spec}
    return {"apiVersion": API, "kind": "LLMInferenceService", "metadata": {"name": "chat"}, "spec": spec}


def read(root: Path, *documents: dict[str, Any], presets: Any = None, **files: str) -> StackSpec:
    """The stack of documents in the namespace llm; files of the folder ``own`` by name, ``_sh`` for its scripts."""
    for name, text in files.items():
        script = name.endswith("_sh")
        file = root / "own" / (f"scripts/{name.removesuffix('_sh')}.sh" if script else f"{name}.yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    values: dict[str, Any] = {"namespace": "llm", "files": []}
    if files or presets is not None:
        values["presets"] = presets if presets is not None else {"folder": "own"}
    file = root / "Pulumi.dev.yaml"
    file.write_text(
        yaml.safe_dump({"config": {f"loco:{key}": value for key, value in values.items()}}, sort_keys=False)
    )
    return read_stack(root, values, documents=documents, config_file=file)


def resolved(stack: StackSpec) -> tuple[Resolved | None, list[Finding]]:
    """The service, and all findings so far."""
    [document] = [document for document in stack.documents if document.kind == "LLMInferenceService"]
    found, findings = resolve(document, stack)
    return found, [*stack.findings, *findings]


def applied(stack: StackSpec) -> list[str]:
    """What took part, which must be without findings."""
    found, findings = resolved(stack)
    assert findings == []
    assert found is not None
    return [str(config) for config in found.applied]
