"""An object that takes over from one of another kind is that one to the engine, under another name and type."""

from collections.abc import Callable
from typing import Any

import pytest

from loco import ModelServingStack
from loco.spec import StackSpec
from tests.components.conftest import SERVICE
from tests.components.recorder import record

HPA = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"
SCALED_OBJECT = "kubernetes:keda.sh/v1alpha1:ScaledObject"
DIRECT = {"keda": {"triggers": [{"type": "cpu", "metadata": {"value": "70"}}]}}


@pytest.mark.parametrize(
    ("mode", "token", "name", "old_token", "old_name"),
    [
        ({"wva": {"hpa": {}}}, HPA, "tiny/llm/tiny-kserve-hpa", SCALED_OBJECT, "tiny/llm/tiny-kserve-keda"),
        (DIRECT, SCALED_OBJECT, "tiny/llm/tiny-kserve-keda", HPA, "tiny/llm/tiny-kserve-hpa"),
    ],
)
def test_the_other_actuator_is_an_alias_and_goes_first(
    make_stack: Callable[..., StackSpec], mode: dict[str, Any], token: str, name: str, old_token: str, old_name: str
) -> None:
    model = {"uri": "hf://org/tiny"}
    document = {**SERVICE, "spec": {"model": model, "scaling": {"maxReplicas": 3, **mode}}}
    everything = record(lambda: ModelServingStack("loco", make_stack(document)))
    (registration,) = (registration for registration in everything if registration.token == token)
    assert registration.name == name
    (alias,) = registration.request.aliases
    assert (alias.spec.type, alias.spec.name) == (old_token, old_name)
    assert registration.request.deleteBeforeReplace
