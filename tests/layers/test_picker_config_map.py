"""The endpoint picker's config from a ConfigMap of the model files."""

from typing import Any

import pytest
import yaml

from loco.spec.tree import at
from tests.plan.stacks import one, plan_of, planned, service

CONFIG = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": [{"type": "token-producer"}]}


def config_map(text: str | None = None, key: str = "epp", name: str = "epp-config", **metadata: Any) -> dict[str, Any]:
    data = {key: yaml.safe_dump(CONFIG) if text is None else text}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": data}


def referring(key: str | None = None, name: str = "epp-config") -> dict[str, Any]:
    ref = {"name": name, **({"key": key} if key else {})}
    return service({"router": {"scheduler": {"config": {"ref": ref}}}})


@pytest.mark.parametrize("key", [None, "other"])
def test_its_text_is_the_pickers_config_and_decides_the_presets(key: str | None) -> None:
    plan = plan_of(referring(key), config_map(key=key or "epp"))
    assert not plan.errors, [str(error) for error in plan.errors]
    (resolved,) = plan.resolved
    assert "config-llm-tokenizer" in [config.name for config in resolved.applied]
    (container,) = one(plan, "Deployment", "chat-kserve-router-scheduler").data["spec"]["template"]["spec"][
        "containers"
    ]
    assert yaml.safe_load(container["args"][1])["plugins"][0]["type"] == "token-producer"
    kind = at(resolved.tree, ("router", "scheduler", "config", "inline", "kind"))
    assert kind is not None
    assert at(resolved.tree, ("router", "scheduler", "config", "ref")) is None


def test_an_inline_config_of_a_higher_layer_takes_its_place() -> None:
    inline = {"spec": {"router": {"scheduler": {"config": {"inline": {**CONFIG, "plugins": [{"type": "mine"}]}}}}}}
    plan = plan_of(referring(), overrides={"LLMInferenceService/chat": inline})
    assert not plan.errors, [str(error) for error in plan.errors]


@pytest.mark.parametrize(
    ("documents", "code", "path", "says"),
    [
        ([], "LOCO-REFERENCE", "spec.router.scheduler.config.ref.name", "beside the service"),
        ([config_map(name="epp-confog")], "LOCO-REFERENCE", "spec.router.scheduler.config.ref.name", "epp-confog"),
        ([config_map(namespace="other")], "LOCO-REFERENCE", "spec.router.scheduler.config.ref.name", "namespace llm"),
        ([config_map(key="ebb")], "LOCO-REFERENCE", "spec.router.scheduler.config.ref.key", "ebb"),
        ([config_map("just text")], "LOCO-VALUE", "data.epp", "EndpointPickerConfig"),
        ([config_map("a: [")], "LOCO-VALUE", "data.epp", "EndpointPickerConfig"),
        ([config_map("a: .nan")], "LOCO-VALUE", "data.epp", "EndpointPickerConfig"),
        ([config_map("")], "LOCO-VALUE", "data.epp", "EndpointPickerConfig"),
    ],
)
def test_what_is_missing_is_told(documents: list[dict[str, Any]], code: str, path: str, says: str) -> None:
    errors = plan_of(referring(), *documents).errors
    assert [(error.code, error.path) for error in errors] == [(code, path)]
    assert says in str(errors[0])


def test_without_a_reference_nothing_is_looked_up() -> None:
    assert not planned({"router": {"scheduler": {}}}).errors


_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "says"), [(_BOMB, "expands to more than"), ("a: 1\na: 2", "in its line 2, the key a stands twice")]
)
def test_traps_of_its_yaml(text: str, says: str) -> None:
    (error,) = plan_of(referring(), config_map(text)).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "data.epp")
    assert says in error.message


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("kind: E\nplugins: 3", "plugins"),
        ("kind: E\nplugins: [a]", "plugins[0]"),
        ("kind: E\nplugins: [{type: [a]}]", "plugins[0].type"),
        ("kind: E\nplugins: [{type: a, parameters: b}]", "plugins[0].parameters"),
        ("kind: E\nplugins: [{type: a, parameters: {indexerConfig: 1}}]", "plugins[0].parameters.indexerConfig"),
        ("kind: E\nschedulingProfiles: [{plugins: 1}]", "schedulingProfiles[0].plugins"),
        ("kind: E\nschedulingProfiles: [{plugins: [{pluginRef: []}]}]", "schedulingProfiles[0].plugins[0].pluginRef"),
    ],
)
def test_a_shape_that_no_picker_reads(text: str, path: str) -> None:
    (error,) = plan_of(referring(), config_map(text)).errors
    assert (error.code, error.path) == ("LOCO-VALUE", f"spec.router.scheduler.config.inline.{path}")
    container = {"name": "main", "args": ["--config-text", text]}
    assert plan_of(service({"router": {"scheduler": {"template": {"containers": [container]}}}})).manifests
