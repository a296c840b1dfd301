"""The weights of a traffic group hold for LiteLLM too: its requests don't come by the shared route."""

from typing import Any

import pytest

from tests.gateway.configs import entries
from tests.plan.stacks import external, gateway, plan_of, service

PLATFORM = {"gateway": {"name": "shared", "internalURL": "http://gw"}}
BOTH = {"blue": {"weight": 3}, "green": {"weight": 1}}


def member(name: str, weight: int, group: str = "g", **spec: Any) -> dict[str, Any]:
    return service({"router": {"route": {"group": group, "weight": weight}}, **spec}, name, labels={"of": name})


def weights(*documents: dict[str, Any]) -> dict[str, Any]:
    plan = plan_of(*documents, platform=PLATFORM)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return {e["model_info"]["id"].split("/", 2)[2]: e["litellm_params"].get("weight") for e in entries(plan)}


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([member("blue", 90), member("green", 10), gateway()], {"blue": 90, "green": 10}),
        ([member("blue", 90), member("green", 10), gateway({"services": BOTH})], {"blue": 3, "green": 1}),
        ([member("blue", 90), member("green", 0), gateway()], {"blue": None}),
        ([member("blue", 0), member("green", 0), gateway()], {"blue": None, "green": None}),
        ([member("blue", 90), member("green", 10, "h"), gateway()], {"blue": None, "green": None}),
        ([member("blue", 90), gateway()], {"blue": None}),
        (
            [member("blue", 90), member("green", 0), gateway({"models": {"matchLabels": {"of": "green"}}})],
            {"green": None},
        ),
        (
            [member("blue", 90), member("green", 10), external({"names": ["tiny"]}), gateway()],
            {"blue": None, "green": None, "gpt/tiny": None},
        ),
        (
            [
                member("blue", 90),
                member("green", 10),
                gateway({"services": {"blue": {"limits": {"requestsPerMinute": 5}}}}),
            ],
            {"blue": 90, "green": 10},
        ),
    ],
)
def test_weights_of_a_group(documents: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    assert weights(*documents) == expected


def test_adapters_share_like_their_model() -> None:
    lora = {"uri": "hf://org/tiny", "name": "tiny", "lora": {"adapters": [{"name": "a", "uri": "hf://org/a"}]}}
    found = weights(member("blue", 7, model=lora), member("green", 3, model=lora), gateway())
    assert found == {"blue": 7, "blue/a": 7, "green": 3, "green/a": 3}
