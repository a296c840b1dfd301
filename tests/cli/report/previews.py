"""Previews as `pulumi preview --json` prints them, made of steps."""

import copy
import json
from collections.abc import Callable
from typing import Any

Step = dict[str, Any]
STACK = "urn:pulumi:dev::serving::pulumi:pulumi:Stack::serving-dev"


def urn(kind: str, name: str, component: str = "LLMInferenceService", stack: str = "dev") -> str:
    owner = f"loco:index:{component}$" if component else ""
    return f"urn:pulumi:{stack}::serving::loco:index:ModelServingStack${owner}{kind}::{name}"


def of_component(name: str, component: str = "LLMInferenceService") -> str:
    return f"urn:pulumi:dev::serving::loco:index:ModelServingStack$loco:index:{component}::{name}"


def step(op: str, where: str, parent: str, old: Any = None, new: Any = None, **more: Any) -> Step:
    states = {
        name: {"inputs": inputs, "parent": parent} for name, inputs in (("oldState", old), ("newState", new)) if inputs
    }
    return {"op": op, "urn": where, **states, **more}


def preview(*steps: Step, errors: tuple[str, ...] = ()) -> str:
    diagnostics = [{"severity": "error", "message": error} for error in errors]
    return json.dumps(
        {"steps": [{"op": "same", "urn": STACK}, *steps], "diagnostics": diagnostics, "changeSummary": {}}
    )


def of_events(*steps: Step, result: str = "succeeded") -> str:
    """The same as the engine streams it."""
    events: list[Any] = [{"sequence": 0, "preludeEvent": {"config": {}}}]
    for each in steps:
        metadata = {"op": each["op"], "urn": each["urn"], "old": each.get("oldState"), "new": each.get("newState")}
        metadata |= {"detailedDiff": each.get("detailedDiff"), "keys": each.get("replaceReasons")}
        events.append({"resourcePreEvent": {"metadata": metadata, "planning": True}})
    events.append({"summaryEvent": {"result": result, "resourceChanges": {}}})
    return "\n".join(map(json.dumps, events))


DEPLOYMENT = urn("kubernetes:apps/v1:Deployment", "chat/llm/chat-kserve")
CHAT = of_component("llm/chat")


def changed(
    objects: dict[str, Any], paths: dict[str, Any], edit: Callable[[Any], None], op: str = "update", **more: Any
) -> Step:
    old, new = objects["Deployment/chat-kserve"], copy.deepcopy(objects["Deployment/chat-kserve"])
    edit(new)
    return step(op, DEPLOYMENT, CHAT, old, new, detailedDiff=paths, **more)


def main_of(deployment: Any) -> Any:
    return deployment["spec"]["template"]["spec"]["containers"][0]


UPDATE = {"kind": "update", "inputDiff": False}
