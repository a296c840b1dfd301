"""What a protected stack remembers, and which removals it refuses."""

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from loco import ModelServingStack
from loco.components.stop_before_removal import left_out, refuse_removals, refuse_stops
from loco.spec import StackSpec
from tests.components import recorder
from tests.components.conftest import SERVICE
from tests.components.recorder import Registration, record

MakeStack = Callable[..., StackSpec]
CHAT, MAIN = "LLMInferenceService/llm/chat", "LiteLLMGateway/llm/main"
GATEWAY = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "LiteLLMGateway",
    "metadata": {"name": "main"},
    "spec": {"replicas": 1},
}


def registered(spec: StackSpec) -> list[Registration]:
    return record(lambda: ModelServingStack("loco", spec))


def memory(registrations: list[Registration]) -> Registration:
    (found,) = [each for each in registrations if each.name == "loco/stop-before-removal"]
    return found


def service(**annotations: str) -> dict[str, Any]:
    return {**SERVICE, "metadata": {"name": "tiny", "annotations": annotations}}


@pytest.mark.parametrize(
    ("documents", "running"),
    [
        ([service(), GATEWAY], ["LLMInferenceService/llm/tiny", MAIN]),
        ([service(**{"serving.kserve.io/stop": "true"}), GATEWAY], [MAIN]),
        ([service(), {**GATEWAY, "spec": {"replicas": 0}}], ["LLMInferenceService/llm/tiny"]),
        ([service(), {**GATEWAY, "spec": {}}], ["LLMInferenceService/llm/tiny", MAIN]),
    ],
    ids=["both run", "a stopped service", "a gateway without replicas", "replicas that an autoscaler has"],
)
def test_it_remembers_what_runs(documents: list[dict[str, Any]], running: list[str], make_stack: MakeStack) -> None:
    kept = memory(registered(make_stack(*documents, stack="prod"))).props["input"]
    assert kept == {"protected": True, "running": dict.fromkeys(running, True)}


@pytest.mark.parametrize(("stack", "protected"), [("prod", True), ("dev", False)])
def test_it_remembers_whether_it_is_protected(stack: str, protected: bool, make_stack: MakeStack) -> None:
    assert memory(registered(make_stack(stack=stack))).props["input"]["protected"] is protected


def test_nothing_is_applied_before_it(make_stack: MakeStack) -> None:
    everything = registered(make_stack(service(), GATEWAY, stack="prod"))
    applied = [each for each in everything if each.token.startswith(("kubernetes:", "loco:index:L"))]
    assert len(applied) > 6
    for each in applied:
        assert "loco/stop-before-removal" in {urn.rpartition("::")[2] for urn in each.request.dependencies}, each.name


def test_it_is_asked_in_previews_too(make_stack: MakeStack) -> None:
    assert list(memory(registered(make_stack())).request.hooks.before_update) == ["loco/stop-before-removal"]


@pytest.mark.parametrize(
    ("before", "documents"),
    [
        (None, []),
        ({"protected": True, "running": {}}, []),
        ({"protected": True, "running": {CHAT: True}}, [CHAT, MAIN]),
        ({"protected": False, "running": {CHAT: True}}, []),
    ],
    ids=["nothing was remembered", "nothing ran", "its document is there", "not protected"],
)
def test_accepted(before: dict[str, Any] | None, documents: list[str]) -> None:
    refuse_removals(before, documents)


def test_every_removal_is_named_with_the_way_out() -> None:
    with pytest.raises(pulumi.RunError) as refusal:
        refuse_removals(
            {"protected": True, "running": dict.fromkeys([CHAT, MAIN, "LLMInferenceService/llm/other"], True)},
            [f"{CHAT}-2", "LLMInferenceService/llm/other"],
        )
    text = str(refusal.value)
    assert f"{CHAT} still runs" in text
    assert 'the annotation serving.kserve.io/stop: "true" on chat' in text
    assert f"{MAIN} still runs" in text
    assert "main back with replicas: 0" in text
    assert text.count("deletionProtection: false") == text.count("LOCO-PROTECTED") == 2


TINY = "LLMInferenceService/llm/tiny"


@pytest.mark.parametrize(
    ("remembered", "refused"),
    [
        (
            {"protected": True, "running": {CHAT: True, TINY: True}},
            f"{CHAT} still runs, and this update would remove it",
        ),
        ({"protected": True, "running": [CHAT]}, f"{CHAT} still runs, and this update would remove it"),
        ({"protected": True, "running": {MAIN: True}}, f"{MAIN} still runs, and an update with a target can't stop it"),
    ],
    ids=["removed", "removed, as a list remembers it", "stopped"],
)
def test_a_target_does_not_make_it_forget(
    remembered: dict[str, Any], refused: str, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine hands back the state of what has no target; here the mock does."""
    applied: list[str] = []
    answer = recorder._Mocks.new_resource

    def new_resource(self: Any, args: Any) -> tuple[str | None, dict[str, Any]]:
        if args.name == "loco/stop-before-removal":
            return "id", {"input": remembered, "output": remembered}
        if args.typ.startswith(("kubernetes:", "pulumi:providers:kubernetes")):
            applied.append(args.name)
        return answer(self, args)

    monkeypatch.setattr(recorder._Mocks, "new_resource", new_resource)
    with pytest.raises(Exception, match="LOCO-PROTECTED") as refusal:
        registered(make_stack(service(), {**GATEWAY, "spec": {"replicas": 0}}, stack="prod"))
    assert refused in str(refusal.value)
    assert applied == []


@pytest.mark.parametrize("protected", [True, False])
def test_what_only_starts_is_applied_with_a_target(protected: bool) -> None:
    before = {"protected": protected, "running": {} if protected else {CHAT: True}}
    refuse_removals(before, [MAIN])
    refuse_stops(before, [MAIN])


def test_what_a_target_leaves_out_is_told() -> None:
    finding = left_out(
        {"protected": True, "running": {CHAT: True, TINY: True}},
        {"protected": False, "running": {MAIN: True, TINY: True}},
    )
    assert (finding.code, finding.severity) == ("LOCO-PROTECTED", "warning")
    assert f"{MAIN} is new, {CHAT} is stopped or gone, deletionProtection is false" in finding.message
    assert TINY not in finding.message
    assert "what is new may be removed while it runs" in finding.cure
    lifted = left_out({"protected": True, "running": {}}, {"protected": False, "running": {}})
    assert "may be removed" not in lifted.cure
