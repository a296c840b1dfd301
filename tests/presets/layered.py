"""Services as the layers resolve them, before any room makes objects of them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loco.layers import Resolved, resolve
from loco.model import errors_of
from loco.spec import SERVICE, read_stack
from loco.spec.tree import plain
from tests.plan.stacks import service

# Where engines and their like stand in a spec, by the words that say which they are.
PLACES = {
    "main": ("template",),
    "worker": ("worker",),
    "prefill": ("prefill", "template"),
    "prefill worker": ("prefill", "worker"),
    "tokenizer": ("router", "scheduler", "tokenizer", "template"),
}
DATA = {"worker": {}, "parallelism": {"data": 4, "dataLocal": 2}}
PIPELINE = {"worker": {}, "parallelism": {"pipeline": 2}}


def documents_resolved(*documents: Mapping[str, Any], namespace: str = "llm", **config: Any) -> list[Resolved]:
    """The services among documents; every one must be without errors."""
    platform = {"gateway": {"name": "shared", "namespace": "infra"}, **config.pop("platform", {})}
    settings = {"files": [], "namespace": namespace, "cluster": {"context": "test"}, "platform": platform, **config}
    stack = read_stack(Path("/nonexistent"), settings, documents=documents)
    assert not errors_of(stack.findings), "\n".join(map(str, stack.findings))
    found = []
    for document in stack.documents:
        if document.kind == SERVICE:
            resolved, findings = resolve(document, stack)
            assert resolved is not None, "\n".join(map(str, findings))
            found.append(resolved)
    return found


def resolved(spec: Mapping[str, Any] | None = None, **config: Any) -> Resolved:
    """One service, called chat, in the namespace llm."""
    (found,) = documents_resolved(service(spec), **config)
    return found


def pods(service: Resolved) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pods of a service that run vLLM, by their word in PLACES."""
    spec = plain(service.tree)
    for word, path in PLACES.items():
        pod: Any = spec
        for key in path:
            pod = (pod or {}).get(key)
        if pod is not None:
            yield word, pod


def container(service: Resolved, word: str = "main", name: str = "main") -> dict[str, Any]:
    """One container of one of those pods."""
    pod = dict(pods(service))[word]
    (found,) = (item for item in [*pod.get("initContainers", []), *pod["containers"]] if item["name"] == name)
    return dict(found)


def names(service: Resolved) -> list[str]:
    """The presets that were chosen, in order."""
    return [applied.name for applied in service.applied if applied.source == "Preset"]
