"""A gateway's config: an object of its own for each content, mounted by the name that it has on the cluster."""

from collections.abc import Callable
from typing import Any

import pytest

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.recorder import Registration, Secret, record

MakeStack = Callable[..., StackSpec]

EXTERNAL = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "ExternalModel",
    "metadata": {"name": "gpt"},
    "spec": {"provider": "openai", "model": "m", "url": "https://x/v1"},
}
GATEWAY: dict[str, Any] = {
    "apiVersion": "locostack.com/v1alpha1",
    "kind": "LiteLLMGateway",
    "metadata": {"name": "main"},
    "spec": {},
}


def registered(spec: StackSpec, kind: str) -> list[Registration]:
    return [found for found in record(lambda: ModelServingStack("loco", spec)) if found.token.endswith(f":{kind}")]


def test_config_has_no_name_of_its_own_and_is_replaced_create_first(make_stack: MakeStack) -> None:
    (config,) = registered(make_stack(EXTERNAL, GATEWAY), "ConfigMap")
    assert config.name == "main-litellm-config.llm"
    assert "name" not in config.props["metadata"]
    assert config.props["immutable"] is True
    assert not config.request.deleteBeforeReplace
    assert [alias.spec.name for alias in config.request.aliases] == ["main/llm/main-litellm-config"]


def test_pods_mount_it_by_the_name_that_it_was_given(make_stack: MakeStack) -> None:
    (pods,) = registered(make_stack(EXTERNAL, GATEWAY), "Deployment")
    volumes = {volume["name"]: volume for volume in pods.props["spec"]["template"]["spec"]["volumes"]}
    assert volumes["config"] == {"name": "config", "configMap": {"name": "main-litellm-config.llm-1a2b3c4d"}}


def test_gateways_of_one_name_in_two_namespaces(make_stack: MakeStack) -> None:
    other = {**GATEWAY, "metadata": {"name": "main", "namespace": "far"}}
    spec = make_stack(EXTERNAL, GATEWAY, other)
    assert sorted(found.name for found in registered(spec, "ConfigMap")) == [
        "main-litellm-config.far",
        "main-litellm-config.llm",
    ]
    mounted = {
        found.props["metadata"]["namespace"]: found.props["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"]
        for found in registered(spec, "Deployment")
    }
    assert mounted == {space: f"main-litellm-config.{space}-1a2b3c4d" for space in ("llm", "far")}


@pytest.mark.parametrize(("rotation", "name"), [(None, ""), ("2026-12", "/2026-12")])
def test_master_key_is_kept_for_as_long_as_its_rotation(rotation: str | None, name: str, make_stack: MakeStack) -> None:
    config = {"rotation": {"masterKeys": rotation}} if rotation else {}
    (kept,) = (
        found for found in registered(make_stack(EXTERNAL, GATEWAY, **config), "Stash") if "master-key" in found.name
    )
    assert kept.name == f"master-key/llm/main-litellm-master-key{name}"
    assert isinstance(kept.props["input"], Secret)
