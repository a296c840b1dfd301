"""Which presets a service gets, and that it gets those of the recorded services."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco.layers.selection import choose
from loco.model import Origin
from loco.spec import BASE_CONFIG, SERVICE
from loco.spec.tree import plant
from tests.presets.layered import DATA, PIPELINE, documents_resolved

SCHEDULER, TOKENIZER, LATENCY = "scheduler", "tokenizer", "scheduler-latency-predictor"
ROUTE, TRACING = "router-route", "tracing"


def chosen(spec: dict[str, Any]) -> list[str]:
    names = choose(plant(spec, Origin("service")))
    assert all(name.startswith("config-llm-") for name in names)
    return [name.removeprefix("config-llm-") for name in names]


def scheduler(**fields: Any) -> dict[str, Any]:
    return {"router": {"scheduler": fields}}


def inline(*types: str) -> dict[str, Any]:
    return scheduler(config={"inline": {"plugins": [{"type": name} for name in types]}})


def args(*words: Any, container: str = "main") -> dict[str, Any]:
    return scheduler(template={"containers": [{"name": container, "args": list(words)}]})


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({}, ["template"]),
        ({"router": {}}, ["template"]),
        ({"router": {"gateway": {}}}, ["template"]),
        ({"router": {"route": {}}}, [ROUTE, "template"]),
        ({"router": {"route": {"http": {"spec": {}}}}}, [ROUTE, "template"]),
        ({"router": {"route": {"http": {"refs": []}}}}, [ROUTE, "template"]),
        ({"router": {"route": {"http": {"refs": [{"name": "r"}]}}}}, ["template"]),
        ({"tracing": {}}, [TRACING, "template"]),
        (
            {"router": {"route": {}, "scheduler": {"tokenizer": {}}}, "tracing": {}, "prefill": {}},
            [SCHEDULER, TOKENIZER, ROUTE, TRACING, "prefill-template", "decode-template"],
        ),
    ],
)
def test_parts(spec: dict[str, Any], names: list[str]) -> None:
    assert chosen(spec) == names


@pytest.mark.parametrize(
    ("side", "suffix"),
    [
        ({}, "template"),
        ({"template": {}}, "template"),
        ({"parallelism": {"tensor": 4}}, "template"),
        ({"parallelism": {"data": 4, "dataLocal": 2, "pipeline": 2}}, "template"),
        (DATA, "worker-data-parallel"),
        ({"worker": {}, "parallelism": {"dataLocal": 2}}, "worker-data-parallel"),
        ({"worker": {}, "parallelism": {"data": 2}}, "worker-data-parallel"),
        ({"worker": {}, "parallelism": {"data": 2, "pipeline": 2}}, "worker-data-parallel"),
        (PIPELINE, "worker-pipeline-parallel"),
        ({"worker": {}, "parallelism": {"pipeline": 2, "tensor": 4}}, "worker-pipeline-parallel"),
        ({"worker": {}}, None),
        ({"worker": {}, "parallelism": {"tensor": 4, "expert": True}}, None),
        ({"worker": {}, "parallelism": {"data": 0, "pipeline": 0}}, None),
    ],
)
def test_topologies(side: dict[str, Any], suffix: str | None) -> None:
    def presets(prefix: str) -> list[str]:
        return [prefix + suffix] if suffix else []

    assert chosen(side) == presets("")
    assert chosen({"prefill": side}) == [*presets("prefill-"), "decode-template"]
    assert chosen({**side, "prefill": {}}) == ["prefill-template", *presets("decode-")]
    assert chosen({**side, "prefill": DATA}) == ["prefill-worker-data-parallel", *presets("decode-")]


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (scheduler(), [SCHEDULER]),
        (scheduler(pool={}), [SCHEDULER]),
        (scheduler(pool={"spec": {}}), [SCHEDULER]),
        (scheduler(pool={"ref": {}}), [SCHEDULER]),
        (scheduler(pool={"ref": {"name": ""}}), [SCHEDULER]),
        (scheduler(pool={"ref": {"name": "p"}}), []),
        (scheduler(pool={"ref": {"name": "p"}}, tokenizer={}), [TOKENIZER]),
        (scheduler(tokenizer={}), [SCHEDULER, TOKENIZER]),
        (scheduler(tokenizer={"template": {}}), [SCHEDULER, TOKENIZER]),
        (inline("queue-scorer"), [SCHEDULER]),
        (inline("token-producer"), [SCHEDULER, TOKENIZER]),
        (inline("queue-scorer", "precise-prefix-cache-scorer"), [SCHEDULER, TOKENIZER]),
        (inline("predicted-latency-producer"), [SCHEDULER, LATENCY]),
        (inline("predicted-latency-producer", "token-producer"), [SCHEDULER, TOKENIZER, LATENCY]),
        (scheduler(config={"inline": {}}), [SCHEDULER]),
        (scheduler(config={"inline": {"plugins": "token-producer"}}), [SCHEDULER]),
        (scheduler(config={"inline": {"plugins": ["token-producer", {"type": 1}, None]}}), [SCHEDULER]),
        (scheduler(config={"inline": {"other": [{"type": "token-producer"}]}}), [SCHEDULER]),
        (scheduler(config={"inline": "plugins: [{type: token-producer}]"}), [SCHEDULER]),
        (scheduler(config={"ref": {"name": "c"}}), [SCHEDULER]),
    ],
)
def test_scheduler(spec: dict[str, Any], names: list[str]) -> None:
    assert chosen(spec) == [*names, "template"]


PRODUCING = "plugins: [{type: token-producer}]"


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        *((args(flag, PRODUCING), [TOKENIZER]) for flag in ("--config-text", "-config-text")),
        *((args(flag, PRODUCING), [TOKENIZER]) for flag in ("--configText", "-configText")),
        *((args(f"{flag}={PRODUCING}"), [TOKENIZER]) for flag in ("--config-text", "-configText")),
        (args("--v", "4", "--config-text", json.dumps({"plugins": [{"type": "token-producer"}]})), [TOKENIZER]),
        (args("--config-text", "plugins:\n- type: precise-prefix-cache-scorer\n"), [TOKENIZER]),
        (args("--config-text", "plugins:\n- type: predicted-latency-producer\n"), [LATENCY]),
        (args("--config-text", PRODUCING, "--config-text", "plugins: []"), []),
        (args("--config-text", "plugins: []", f"--config-text={PRODUCING}"), [TOKENIZER]),
        (args("--config-text"), []),
        (args("--config-text", "[1, 2]"), []),
        (args("--config-text", "a: [1"), []),
        (args("--config-text", ""), []),
        (args("--config-text", 3), []),
        (args("--config-file", PRODUCING), []),
        (args("---config-text", PRODUCING), []),
        (args("--config_text", PRODUCING), []),
        (args(PRODUCING), []),
        (args("--config-text", PRODUCING, container="other"), []),
        # The configuration in its own place is the one in force.
        (
            scheduler(
                config={"inline": {"plugins": []}},
                template={"containers": [{"name": "main", "args": ["--config-text", PRODUCING]}]},
            ),
            [],
        ),
    ],
)
def test_configuration_among_the_pickers_args(spec: dict[str, Any], names: list[str]) -> None:
    assert chosen(spec) == [SCHEDULER, *names, "template"]


# Inputs that KServe takes and loco refuses, each for a reason that a test of its own has.
REFUSED = {"sample-kv-cache-offloading-kv-cache-offloading": "an unknown key"}


def test_recorded_services_get_the_same_presets(shared: Path) -> None:
    compared = 0
    for folder in sorted((shared / "goldens").iterdir()):
        if not (folder / "expected.json").exists() or folder.name in REFUSED:
            continue
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        recorded = {
            status["name"]: [item["name"] for item in status["appliedConfigs"] if item["source"] == "Preset"]
            for status in expected["status"]
            if status.get("appliedConfigs")
        }
        if not recorded:  # KServe itself refused it
            continue
        ours = {
            service.name: [f"kserve-{a.name}" for a in service.applied if a.source == "Preset"]
            for service in documents_resolved(*documents(folder), namespace=expected["namespace"], profile="kserve")
        }
        assert ours == recorded, folder.name
        compared += 1
    assert compared > 30


def documents(folder: Path) -> list[dict[str, Any]]:
    """The services and base configs of a recorded input, which were all applied in one namespace."""
    found = []
    for document in yaml.safe_load_all((folder / "input.yaml").read_text("utf-8")):
        if document and document["kind"] in (SERVICE, BASE_CONFIG):
            document["metadata"].pop("namespace", None)
            found.append(document)
    return found
