"""The picker's config and flags, brought to the form of its release: a table of small cases."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.routing.picker_flags import config_text_in, with_config_text, without_flags
from loco.routing.picker_versions import Migration, migrate, release_of
from tests.plan.stacks import one, plan_of, planned, service

CASES = yaml.safe_load((Path(__file__).parent / "picker_versions.yaml").read_text("utf-8"))
BEFORE = {"0.7.0": (0, 6, 9), "0.8.0": (0, 7, 9), "0.9.0": (0, 8, 9), "0.10.0": (0, 9, 9)}


def migrated(case: dict[str, Any], release: tuple[int, int, int]) -> tuple[Any, list[str], list[str]]:
    case = copy.deepcopy(case)
    main = {"name": "main", "args": case.get("args", [])}
    migration = Migration(case.get("config"), [{"name": "side"}, main], case.get("url"))
    migrate(migration, release)
    return migration.config, main["args"], sorted(flag for flag, _ in migration.refused)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["idea"])
def test_changes(case: dict[str, Any]) -> None:
    since = release_of(case["since"])
    assert since is not None
    config, args, refused = migrated(case, since)
    assert config == case.get("becomes", case.get("config"))
    assert args == case.get("left", [])
    assert refused == case.get("refused", [])
    # The release before leaves alone what only this one changes.
    config, args, _ = migrated(case, BEFORE[case["since"]])
    assert config != case.get("becomes") or args != case.get("left", []) or config == case.get("config")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["idea"])
def test_changing_twice_changes_nothing_more(case: dict[str, Any]) -> None:
    config, args, _ = migrated(case, (1, 0, 0))
    again, still, refused = migrated({**case, "config": config, "args": args}, (1, 0, 0))
    assert (again, still, refused) == (config, args, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, (0, 0, 0)),
        ("", (0, 0, 0)),
        ("0.10.0", (0, 10, 0)),
        ("v0.9", (0, 9, 0)),
        ("0.10.0-rc.1", (0, 10, -1)),
        ("0.10.0+build", (0, 10, 0)),
        ("latest", None),
        ("1", None),
        ("0.10.0.1", None),
    ],
)
def test_releases(text: str | None, expected: tuple[int, int, int] | None) -> None:
    assert release_of(text) == expected


def test_threshold_is_rounded_up() -> None:
    for threshold, tokens in ((100, 25), (5, 2), (3, 1), (1, 1), (7.0, 2), (0.5, 1)):
        plugin = {"type": "pd-profile-handler", "parameters": {"threshold": threshold}}
        config, _, _ = migrated({"config": {"plugins": [plugin]}}, (0, 7, 0))
        assert config["plugins"][0]["parameters"] == {"nonCachedTokens": tokens}


def test_texts_that_are_no_config_are_left_alone() -> None:
    for config in ({}, {"plugins": None}, {"plugins": [1, None, {"type": "a", "parameters": 3}]}, {"plugins": "x"}):
        changed, _, _ = migrated({"config": config, "url": "http://t"}, (1, 0, 0))
        assert changed == config


@pytest.mark.parametrize("words", [["--config-text", "a"], ["-configText=a"], ["x", "--config-text=a", "y"]])
def test_config_text_is_found_and_replaced(words: list[str]) -> None:
    assert config_text_in(words) == "a"
    assert config_text_in(with_config_text(words, "b=c")) == "b=c"
    assert len(with_config_text(words, "b")) == len(words)
    assert config_text_in(["--config-file", "a"]) is None


def test_flags_are_taken_in_every_spelling() -> None:
    words = ["--a-b", "1", "-aB=2", "--c", "--a-b", "--d"]
    assert without_flags(words, {"a-b"}) == (["--c", "--d"], {"a-b": None})


INLINE = {
    "apiVersion": "llm-d.ai/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [{"type": "b", "parameters": {"z": 1, "a": 2}}],
}


def arguments(scheduler: dict[str, Any], **rest: Any) -> list[str]:
    plan = planned({"router": {"scheduler": scheduler}, **rest})
    pod = one(plan, "Deployment", "chat-kserve-router-scheduler").data["spec"]["template"]["spec"]
    return list(pod["containers"][0]["args"])


def test_inline_config_is_the_pickers_text_with_sorted_keys() -> None:
    flag, text = arguments({"config": {"inline": INLINE}})
    assert flag == "--config-text"
    assert text.splitlines()[-5:] == ["plugins:", "- parameters:", "    a: 2", "    z: 1", "  type: b"]


def test_inline_config_of_a_release_that_changed_nothing_is_json() -> None:
    old = {"app.kubernetes.io/version": "0.6.0"}
    _, text = arguments({"config": {"inline": INLINE}, "annotations": old})
    assert text.startswith('{"apiVersion":')


def test_prefill_and_adapters_have_defaults_of_their_own() -> None:
    lora = {"model": {"uri": "hf://o/m", "lora": {"adapters": [{"name": "a", "uri": "hf://o/a"}]}}}
    config = yaml.safe_load(arguments({}, prefill={}, **lora)[-1])
    assert [plugin["type"] for plugin in config["plugins"]][-3:] == [
        "always-disagg-pd-decider",
        "disagg-profile-handler",
        "lora-affinity-scorer",
    ]
    chosen = {p["name"]: [entry["pluginRef"] for entry in p["plugins"]] for p in config["schedulingProfiles"]}
    assert chosen == {
        "prefill": [
            "prefill-filter",
            "lora-affinity-scorer",
            "prefix-cache-scorer",
            "queue-scorer",
            "kv-cache-utilization-scorer",
            "max-score-picker",
        ],
        "decode": [
            "decode-filter",
            "lora-affinity-scorer",
            "active-request-scorer",
            "prefix-cache-scorer",
            "max-score-picker",
        ],
    }


def test_two_configs_are_one_too_many() -> None:
    template = {"containers": [{"name": "main", "args": ["--config-text", "kind: x"]}]}
    scheduler = {"config": {"inline": INLINE}, "template": template}
    (error,) = plan_of(service({"router": {"scheduler": scheduler}})).errors
    assert (error.code, error.path) == ("LOCO-VALUE", "spec.router.scheduler.config.inline")


def test_a_release_that_is_none_is_told() -> None:
    annotations = {"app.kubernetes.io/version": "latest"}
    (error,) = plan_of(service({"router": {"scheduler": {"annotations": annotations}}})).errors
    assert error.path == 'spec.router.scheduler.annotations["app.kubernetes.io/version"]'
    assert error.value == "latest"


def test_flags_that_the_release_lacks_and_that_cannot_move_are_told() -> None:
    args = ["--config-file", "/etc/x", "--model-server-metrics-path=/m"]
    template = {"containers": [{"name": "main", "args": args}]}
    (error,) = plan_of(service({"router": {"scheduler": {"template": template}}})).errors
    assert error.path == "spec.router.scheduler.template.containers[main].args"
    assert error.origin is not None
    assert error.origin.layer == "service"
