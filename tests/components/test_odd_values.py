"""Secret values that LiteLLM would take for something else: told without being shown."""

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from loco import ModelServingStack
from loco.components.odd_values import oddity
from loco.spec import StackSpec
from tests.components.recorder import record

MakeStack = Callable[..., StackSpec]

REFERENCE = {"name": "openai", "key": "token"}
EXTERNAL = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "ExternalModel",
    "metadata": {"name": "gpt"},
    "spec": {"provider": "openai", "model": "m", "url": "https://x/v1", "auth": {"apiKey": {"secretRef": REFERENCE}}},
}


@pytest.mark.parametrize(
    ("value", "master_key", "odd"),
    [
        ("sk-fine", True, None),
        ("two words", False, None),
        ("truth", False, None),
        ("sk-1234", False, None),
        ("sk-1234", True, "the example"),
        ("", False, "empty"),
        ("sk-x\n", False, "blank at its end"),
        (" sk-x", False, "blank at its end"),
        ("\n", False, "blank at its end"),
        ("true", False, "a boolean"),
        ("False", True, "a boolean"),
        ("sk-\0x", False, "a NUL"),
        ("sk-x\0", False, "a NUL"),
        ("sk-\x1bx", False, "a control character"),
        ("sk-\x7fx", True, "a control character"),
        ("-----BEGIN KEY-----\na\tb\r\n-----END KEY-----", False, None),
        ("a'b\"c$(HOME)${x}\\ü", False, None),
    ],
)
def test_oddity(value: str, master_key: bool, odd: str | None) -> None:
    assert oddity(value, master_key) == odd


def run(make_stack: MakeStack, spec: dict[str, Any], value: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))
    gateway = {
        "apiVersion": "locostack.com/v1alpha1",
        "kind": "LiteLLMGateway",
        "metadata": {"name": "main"},
        "spec": spec,
    }
    stack = make_stack(EXTERNAL, gateway, credentials={"openai": {"token": {"config": "x"}}}, secrets=("x",))
    record(lambda: ModelServingStack("loco", stack, credentials={"x": value}))
    return said


@pytest.mark.parametrize(("value", "word"), [("hunter2\n", "line break"), ("TRUE", "boolean"), ("", "empty")])
def test_of_a_model_it_is_a_warning(
    value: str, word: str, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    (warning,) = run(make_stack, {}, value, monkeypatch)
    assert "LOCO-CREDENTIAL" in warning
    assert "llm/openai" in warning
    assert word in warning
    assert "hunter2" not in warning


@pytest.mark.parametrize("value", ["hunter2\n", "true", "", "sk-1234"])
def test_of_the_master_key_it_is_an_error(value: str, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pulumi.RunError, match="LOCO-CREDENTIAL") as refused:
        run(make_stack, {"masterKey": {"secretRef": REFERENCE}}, value, monkeypatch)
    assert not value or value.strip() == "true" or value.strip() not in str(refused.value)


def test_a_nul_is_an_error_because_all_pods_would_be_without_a_start(
    make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(pulumi.RunError, match="LOCO-CREDENTIAL") as refused:
        run(make_stack, {}, "hunter2\0", monkeypatch)
    assert "hunter2" not in str(refused.value)


def test_a_good_value_is_not_spoken_of(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(make_stack, {}, "sk-fine", monkeypatch) == []
