"""Runs a program under mocks and keeps every registration as the engine would get it, secrets marked."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi
from google.protobuf import json_format
from pulumi.runtime import mocks

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


@dataclass(frozen=True)
class Secret:
    """A value that the engine keeps secret."""

    value: Any


@dataclass(frozen=True)
class Registration:
    token: str
    name: str
    props: dict[str, Any]
    request: Any

    @property
    def urn_suffix(self) -> str:
        return f"{self.token}::{self.name}"


def record(program: Callable[[], Any], *, preview: bool = False, stack: str = "dev") -> list[Registration]:
    """All resources that the program registers, in order, without the stack itself."""
    monitor = _Monitor()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # asyncio.run, which another test may have called, leaves none
    mocks.set_mocks(_Mocks(), project="loco", stack=stack, preview=preview, monitor=monitor)
    try:
        pulumi.runtime.test(program)()
    finally:
        loop.close()
    return [registration for registration in monitor.seen if registration.token != "pulumi:pulumi:Stack"]


class _Mocks(mocks.Mocks):
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        state = dict(args.inputs)
        if args.typ == "pulumi:index:Stash":
            state["output"] = state.get("input")
        if args.typ.startswith("kubernetes:") and "name" not in (about := state["metadata"]):  # as the provider does
            state["metadata"] = {**about, "name": f"{args.name}-1a2b3c4d"}
        return f"{args.name}-id", state

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        return {}


class _Monitor(mocks.MockMonitor):
    def __init__(self) -> None:
        super().__init__(_Mocks())
        self.seen: list[Registration] = []

    def RegisterResource(self, request: Any) -> Any:
        props = _shown(json_format.MessageToDict(request.object))
        self.seen.append(Registration(request.type, request.name, props, request))
        return super().RegisterResource(request)


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get(_SIGNATURE) == _SECRET:
            return Secret(_shown(value.get("value")))
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return "<unknown>" if value == _UNKNOWN else value
