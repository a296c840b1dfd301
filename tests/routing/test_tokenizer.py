"""Whether anybody asks a service's tokenizer."""

from typing import Any

import pytest

from tests.plan.stacks import found, planned

PATH = "spec.router.scheduler.tokenizer"
PROFILE = [{"name": "default", "plugins": [{"pluginRef": "queue-scorer"}]}]


def config(*plugins: Any) -> dict[str, Any]:
    listed = [{"type": plugin} if isinstance(plugin, str) else plugin for plugin in plugins]
    about = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
    return {"config": {"inline": {**about, "plugins": listed, "schedulingProfiles": PROFILE}}}


FILE = {"template": {"containers": [{"name": "main", "args": ["--config-file", "/etc/picker.yaml"]}]}}


@pytest.mark.parametrize(
    ("scheduler", "told"),
    [
        ({}, True),
        (config("queue-scorer"), True),
        (config("queue-scorer", "token-producer"), False),
        (config("queue-scorer", "precise-prefix-cache-scorer"), False),
        (config("queue-scorer", "precise-prefix-cache-producer"), False),
        (FILE, False),
    ],
)
@pytest.mark.parametrize("profile", ["safe", "kserve"])
def test_a_tokenizer_that_nobody_asks_is_told(scheduler: dict[str, Any], told: bool, profile: str) -> None:
    plan = planned({"router": {"scheduler": {"tokenizer": {}, **scheduler}}}, profile=profile)
    paths = [finding.path for finding in found(plan, "LOCO-NO-EFFECT", "warning")]
    assert paths == ([PATH] if told else [])
