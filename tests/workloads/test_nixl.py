"""Prefill and decode engines on GPUs know their own address on the side channel."""

from typing import Any

import pytest

from tests.plan.stacks import planned
from tests.workloads.topologies import (
    GROUPS,
    MAIN,
    PREFILL,
    PREFILL_GROUPS,
    engine,
    main_of,
    several_nodes,
    templates,
)

HOST, PORT = "VLLM_NIXL_SIDE_CHANNEL_HOST", "VLLM_NIXL_SIDE_CHANNEL_PORT"
POD_IP = {"fieldRef": {"fieldPath": "status.podIP"}}


def channel(template: dict[str, Any]) -> dict[str, Any]:
    variables = main_of(template)["env"]
    return {v["name"]: v.get("value", v.get("valueFrom")) for v in variables if v["name"] in (HOST, PORT)}


def test_every_engine_of_a_pair_on_gpus_has_one() -> None:
    single = planned({"template": engine(1), "prefill": {"template": engine(1)}})
    several = several_nodes(template=engine(2), worker=engine(2))
    multi = planned({**several, "prefill": several})
    for plan, names in ((single, (MAIN, PREFILL)), (multi, (GROUPS, PREFILL_GROUPS))):
        for name in names:
            for template in templates(plan, name).values():
                assert channel(template) == {HOST: POD_IP, PORT: "5600"}


@pytest.mark.parametrize(
    ("spec", "profile"),
    [
        ({"template": engine(1)}, "safe"),
        ({"prefill": {}}, "safe"),
        ({"template": engine(1), "prefill": {"template": engine(1)}}, "kserve"),
    ],
    ids=["no prefill", "no GPUs", "the reference"],
)
def test_others_have_none(spec: dict[str, Any], profile: str) -> None:
    plan = planned(spec, profile=profile)
    assert channel(templates(plan, MAIN)["pod"]) == {}


def test_what_a_user_writes_stays() -> None:
    env = [{"name": PORT, "value": "7000"}, {"name": HOST, "value": "10.0.0.1"}]
    plan = planned({"template": engine(1, env=env), "prefill": {"template": engine(1)}})
    assert channel(templates(plan, MAIN)["pod"]) == {HOST: "10.0.0.1", PORT: "7000"}
    names = [variable["name"] for variable in main_of(templates(plan, MAIN)["pod"])["env"]]
    assert len(names) == len(set(names))
