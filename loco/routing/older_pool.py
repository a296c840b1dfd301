"""The spec of an InferencePool v1 in the words of ``inference.networking.x-k8s.io/v1alpha2``."""

from collections.abc import Iterator, Mapping
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.spec.tree import Path, dotted

_SPEC: Path = ("router", "scheduler", "pool", "spec")
# All that v1alpha2 has a word for; what else stands in a spec of v1 is an error.
_KNOWN: dict[Path, tuple[str, ...]] = {
    (): ("selector", "targetPorts", "endpointPickerRef"),
    ("selector",): ("matchLabels",),
    ("endpointPickerRef",): ("group", "kind", "name", "port", "failureMode"),
    ("endpointPickerRef", "port"): ("number",),
}


def as_older(spec: Mapping[str, Any], resolved: Resolved) -> tuple[dict[str, Any], list[Finding]]:
    """The spec with a flat selector, one port and ``extensionRef``, and errors for what can't be said so."""
    findings = [*_unknown(spec, resolved), *_several_ports(spec, resolved)]
    picker = spec.get("endpointPickerRef") or {}
    extension = {key: picker[key] for key in ("group", "kind", "name", "failureMode") if key in picker}
    if number := (picker.get("port") or {}).get("number"):
        extension["portNumber"] = number
    older: dict[str, Any] = {
        "selector": dict((spec.get("selector") or {}).get("matchLabels") or {}),
        "extensionRef": extension,
    }
    if ports := spec.get("targetPorts"):
        older["targetPortNumber"] = ports[0].get("number")
    return older, findings


def _several_ports(spec: Mapping[str, Any], resolved: Resolved) -> Iterator[Finding]:
    numbers = [port.get("number") for port in spec.get("targetPorts") or []]
    if len(numbers) > 1:
        message = "a pool of v1alpha2 has one port (platform.inferencePoolAPI is v1alpha2)"
        yield _refusal(
            ("targetPorts",), message, "one of the ports, or platform: {inferencePoolAPI: v1}", resolved, numbers
        )


def _unknown(spec: Mapping[str, Any], resolved: Resolved) -> Iterator[Finding]:
    parts: list[tuple[Path, Any, tuple[str, ...]]] = [
        (path, _below(spec, path), known) for path, known in _KNOWN.items()
    ]
    parts += [(("targetPorts", index), port, ("number",)) for index, port in enumerate(spec.get("targetPorts") or [])]
    for path, part, known in parts:
        for key in part if isinstance(part, Mapping) else ():
            if key not in known:
                message = f"a pool of v1alpha2 has nothing like {key} (platform.inferencePoolAPI is v1alpha2)"
                cure = "the pool without it, or platform: {inferencePoolAPI: v1}"
                yield _refusal((*path, key), message, cure, resolved, part[key])


def _below(spec: Mapping[str, Any], path: Path) -> Any:
    part: Any = spec
    for key in path:
        part = part.get(key) if isinstance(part, Mapping) else None
    return part


def _refusal(path: Path, message: str, cure: str, resolved: Resolved, value: object) -> Finding:
    where, origin = dotted(("spec", *_SPEC, *path)), resolved.origin_at(*_SPEC, *path)
    return Finding("LOCO-VALUE", "error", where, message, cure, origin, resolved.subject, value)
