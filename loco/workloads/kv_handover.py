"""Whether prefill and decode agree on how KV blocks go from the one to the other."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import in_template
from loco.workloads.accelerators import EnginePod
from loco.workloads.engine_flags import given_flags

_FLAG = "kv-transfer-config"
_CONNECTOR = re.compile(r"\w*Connector\w*")
_OF_ONE_ENGINE = frozenset({"OffloadingConnector", "MultiConnector"})  # tiers below it, and a list of others


def one_sided_handover(pods: Sequence[EnginePod], resolved: Resolved) -> list[Finding]:
    """A warning where one side has a connector that the other lacks: it would compute every prompt once more.

    Args:
        pods: all engines of the service.
        resolved: the service.

    Nothing where what an engine is told can't be read: a variable, a command that doesn't name its flags. Nor where a
    side has no devices and the other has, which is said elsewhere.
    """
    first = {pod.side.role: pod for pod in reversed(pods)}
    decode, prefill = first.get("decode"), first.get("prefill")
    if decode is None or prefill is None or decode.has_devices is not prefill.has_devices:
        return []
    of_decode, of_prefill = _connectors(decode), _connectors(prefill)
    if of_decode is None or of_prefill is None or of_decode & of_prefill or not of_decode | of_prefill:
        return []
    lacking, having, connectors = decode, prefill, of_prefill
    if not of_prefill:
        lacking, having, connectors = prefill, decode, of_decode
    there = ".".join(("spec", *map(str, having.place)))
    known = ", ".join(sorted(connectors))
    own = f"does by {', '.join(sorted(of_decode))}" if of_decode and of_prefill else "doesn't"
    message = f"the engine of {there} hands over KV blocks by {known}, and this one {own}, so none arrive"
    cure = f"--{_FLAG} with {known} on both sides, or on none"
    where = ("containers", lacking.number, "args")
    return [
        in_template(resolved, where, message, cure, place=lacking.place, code="LOCO-KV-TRANSFER", severity="warning")
    ]


def _connectors(pod: EnginePod) -> frozenset[str] | None:
    """Those by which an engine gives blocks to another one; None where that can't be read."""
    engine = pod.engine
    flags = given_flags(engine, pod.script)
    given = [value for name, flag in flags.items() if name.startswith(_FLAG) for value in flag.values]
    if any(name.startswith(_FLAG) for name in flags):
        found = frozenset(_CONNECTOR.findall(" ".join(given)))
        return found - _OF_ONE_ENGINE if found else None
    words = _words(engine)
    if not pod.script and "vllm" not in words:
        return None
    return frozenset(_CONNECTOR.findall(words)) - _OF_ONE_ENGINE


def _words(engine: Mapping[str, Any]) -> str:
    return " ".join(str(word) for word in (*(engine.get("command") or []), *(engine.get("args") or [])))
