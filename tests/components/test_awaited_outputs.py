"""Outputs of other stacks, awaited: whose, how often, and what is refused before anything is planned."""

import asyncio
from typing import Any, ClassVar

import pulumi
import pytest

from loco.components import awaited_outputs
from loco.components.awaited_outputs import not_awaited, outputs_of_others, stack_outputs
from loco.spec import read_stack
from tests.plan.stacks import gateway, plan_of, service

A, B = "organization/models/a", "organization/models/b"
HERE = "organization/models/here"
EXPORTED = dict(plan_of(service()).outputs)


class Reference:
    """A stack reference whose stacks are given."""

    stacks: ClassVar[dict[str, dict[str, Any]]] = {}
    made: ClassVar[list[tuple[str, str]]] = []

    def __init__(self, name: str, stack: str) -> None:
        self.made.append((name, stack))
        self._stack = stack

    async def get_output_details(self, name: str) -> pulumi.StackReferenceOutputDetails:
        value = self.stacks[self._stack].get(name)
        hidden = isinstance(value, pulumi.Output)
        return pulumi.StackReferenceOutputDetails(*((None, value) if hidden else (value, None)))


class Root:
    """The running stack."""


@pytest.fixture(autouse=True)
def reference(monkeypatch: pytest.MonkeyPatch) -> type[Reference]:
    root = Root()
    monkeypatch.setattr(pulumi, "StackReference", Reference)
    monkeypatch.setattr(awaited_outputs, "get_root_resource", lambda: root)
    monkeypatch.setattr(pulumi, "get_project", lambda: "project")
    monkeypatch.setattr(pulumi, "get_stack", lambda: "here")
    monkeypatch.setattr(Reference, "stacks", {A: EXPORTED, B: {}, HERE: {}})
    monkeypatch.setattr(Reference, "made", [])
    return Reference


@pytest.mark.parametrize(
    ("sources", "stacks"),
    [
        ([A, {"stack": B}], [A, B]),
        ([A, {"stack": A}, A], [A]),
        (None, []),
        ("text", []),
        ({"stack": A}, []),
        ([3, None, "", {}, {"stack": 3}, [A]], []),
        (["a b/c/d", "a//c", "a/b/c/d", A], [A]),
        (["here", "organization/here", "organization/project/here", A, "organization/models/here"], [A, HERE]),
    ],
)
def test_each_stack_once_whatever_the_config_holds(sources: Any, stacks: list[str]) -> None:
    """What is wrong with the config is for reading to say."""
    found = asyncio.run(outputs_of_others({"modelsFrom": sources}))
    assert list(found) == stacks
    assert [stack for _, stack in Reference.made] == stacks
    assert all(name != stack for name, stack in Reference.made), "a program may refer to the stack by its name"


def test_without_models_from() -> None:
    assert asyncio.run(outputs_of_others({})) == {}


def test_typed_outputs() -> None:
    async def twice() -> list[str]:
        return [*(await stack_outputs(A)).models, *(await stack_outputs(A)).models]

    assert asyncio.run(twice()) == ["llm/chat", "llm/chat"]
    assert len(Reference.made) == 1


def test_missing_outputs_name_the_stack() -> None:
    with pytest.raises(pulumi.RunError, match=f"outputs version and models and gateways of the stack {B} are missing"):
        asyncio.run(stack_outputs(B))


def test_a_secret_output_is_refused_without_its_value(reference: type[Reference]) -> None:
    async def read() -> None:
        reference.stacks[B] = {**EXPORTED, "models": pulumi.Output.secret({"hidden": "sk-value"})}
        await stack_outputs(B)

    with pytest.raises(pulumi.RunError, match=f"the output models of the stack {B} is a secret") as refused:
        asyncio.run(read())
    assert "sk-value" not in str(refused.value)


def test_a_program_must_hand_them_over() -> None:
    config = {"namespace": "front", "files": [], "modelsFrom": [A, B]}
    (finding,) = not_awaited(read_stack(".", config, documents=[gateway()], outputs={A: EXPORTED}))
    assert (finding.code, finding.severity, finding.value) == ("LOCO-CONFIG", "error", [B])
    assert not_awaited(read_stack(".", config, documents=[gateway()], outputs={A: EXPORTED, B: EXPORTED})) == []


def test_a_backend_without_organizations(monkeypatch: pytest.MonkeyPatch, reference: type[Reference]) -> None:
    monkeypatch.setattr(pulumi, "get_organization", lambda: "organization")
    with pytest.raises(pulumi.RunError, match=r"(?s)modelsFrom.*organization/models/a"):
        asyncio.run(outputs_of_others({"modelsFrom": ["models/a"]}))
    assert reference.made == []
