"""LiteLLM's own judgement of the config of every stack that the tests and the documentation have."""

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from dev.toolchain.litellm import ensure_litellm
from loco.plan import Plan
from tests.conftest import REPOSITORY
from tests.e2e.config_recorder import keep
from tests.e2e.litellm_stack import wide_stack
from tests.e2e.test_litellm import repository
from tests.gateway.configs import header, key
from tests.plan.stacks import external, gateway, plan_of, service

pytestmark = pytest.mark.e2e

TESTS = REPOSITORY / "tests"
EXAMPLES = TESTS / "layers/pod_templates/examples"
PLATFORM = {"gateway": {"name": "shared", "internalURL": "http://shared.infra.svc"}}
GATEWAY = re.compile(r"\bgateway\(|LiteLLMGateway")
DOCUMENT = re.compile(r"^kind: LiteLLMGateway$", re.MULTILINE)
OTHERS = re.compile(r"from hypothesis|mark\.e2e")  # random stacks without end, and those of the engine
PROCESSES = 2
SAMPLES = {
    "good": {"model_name": "a", "litellm_params": {"model": "openai/x", "api_key": "none"}},
    "dropped": {"model_name": "a", "litellm_params": {"model": "nobody/x", "api_key": "none"}},
    "refused": {"model_name": "a"},
}


@pytest.fixture(scope="module")
def configs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each text once, with its environment beside it."""
    folder = tmp_path_factory.mktemp("configs")
    record(folder)
    for name, plan in plans():
        assert plan.gateways, name
        assert not plan.errors, f"{name}: {[*map(str, plan.errors)]}"
        keep(plan, folder)
    return folder


@pytest.fixture(scope="module")
def said(configs: Path) -> dict[str, tuple[int, str]]:
    """By name the status and the words of ``--validate_config``."""
    python, script = ensure_litellm().parent / "python", TESTS / "e2e/validate_configs.py"

    for name, entry in SAMPLES.items():
        (configs / f"{name}.yaml").write_text(yaml.safe_dump({"model_list": [entry]}))
        (configs / f"{name}.json").write_text("{}")

    def judge(share: int) -> dict[str, tuple[int, str]]:
        command = [str(python), str(script), str(configs), f"{share}/{PROCESSES}"]
        done = subprocess.run(
            command, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True, timeout=300
        )
        return dict(json.loads(done.stdout))

    with ThreadPoolExecutor() as pool:
        return {name: words for part in pool.map(judge, range(PROCESSES)) for name, words in part.items()}


def record(folder: Path) -> None:
    """What other tests plan: their own stacks, and the examples of the README and of docs/."""
    files = [str(file) for file in sorted(TESTS.rglob("test_*.py")) if is_of_gateways(file)]
    assert len(files) > 15
    # What these tests assert is not the question here, so their files are taken as they are compiled already.
    options = ["-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "tests.e2e.config_recorder"]
    command = [sys.executable, "-m", "pytest", *options, "-k", "not more_models_than", *files]
    environment = {**os.environ, "LOCO_RECORDED_CONFIGS": str(folder)}
    subprocess.run([*command, "tests/docs"], cwd=REPOSITORY, env=environment, capture_output=True, timeout=300)


def is_of_gateways(file: Path) -> bool:
    """Without the command line's, which start programs of their own."""
    text = file.read_text()
    return file.parent.name not in ("e2e", "cli") and bool(GATEWAY.search(text)) and not OTHERS.search(text)


def plans() -> Iterator[tuple[str, Plan]]:
    yield "repository", repository()
    yield "no models", plan_of(gateway())
    yield "every kind of model", wide_stack("http://127.0.0.1:1")
    auth = {**key("openai"), "headers": [header("X-Key", "openai")]}
    credentials = {"openai": {"token": {"existing": True}}}
    elsewhere = [service(), external({"auth": auth}), external({"auth": auth}, namespace="far")]
    yield "in another namespace", plan_of(*elsewhere, gateway(namespace="front"), credentials=credentials)
    several = [gateway({}, name, namespace=place) for name, place in (("a", "llm"), ("b", "llm"), ("a", "front"))]
    yield "several", plan_of(*elsewhere, *several, credentials=credentials)
    for file in sorted(EXAMPLES.glob("*.yaml")):
        example = yaml.safe_load(file.read_text())
        if any(document["kind"] == "LiteLLMGateway" for document in example["documents"]):
            yield file.name, plan_of(*example["documents"], **example.get("config", {}))
    for file in sorted((TESTS / "e2e").glob("test_*.py")):
        for number, documents in enumerate(yaml_of_gateways(file)):
            yield f"{file.name} {number}", with_stand_ins(documents)


def yaml_of_gateways(file: Path) -> Iterator[list[dict[str, Any]]]:
    """The model files with a gateway that a test writes."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and DOCUMENT.search(node.value):
            yield [*yaml.safe_load_all(node.value)]


def with_stand_ins(documents: list[dict[str, Any]]) -> Plan:
    """Their plan, with a service for each model that they name and another file or stack has."""
    settings = {"platform": PLATFORM, "credentials": existing(documents)}
    named = {str(error.value) for error in plan_of(*documents, **settings).errors if error.code == "LOCO-REFERENCE"}
    labels = {
        key: value
        for document in documents
        if document["kind"] == "LiteLLMGateway"
        for key, value in document["spec"].get("models", {}).get("matchLabels", {}).items()
    }
    others = [
        service({"model": {"uri": "hf://org/m", "name": name}}, f"stand-in-{number}", labels=labels)
        for number, name in enumerate(sorted(named))
    ]
    return plan_of(*documents, *others, **settings)


def existing(value: Any) -> dict[str, dict[str, Any]]:
    """Credentials that say of every Secret key which is named that it exists."""
    found: dict[str, dict[str, Any]] = {}
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        for name, keys in existing(item).items():
            found.setdefault(name, {}).update(keys)
    if isinstance(value, dict) and set(value) == {"name", "key"}:
        found[value["name"]] = {value["key"]: {"existing": True}}
    return found


def listed(config: dict[str, Any]) -> int:
    """How many models LiteLLM counts: each entry, and for each alias those of its target once more."""
    names = Counter(entry["model_name"] for entry in config["model_list"])
    aliases: dict[str, str] = config["router_settings"].get("model_group_alias", {})
    return names.total() + sum(names[target] for target in aliases.values())


def test_every_config_is_valid_with_every_entry(configs: Path, said: dict[str, tuple[int, str]]) -> None:
    """An entry that LiteLLM can't build is left out without a word, and the file is valid all the same."""
    files = [file for file in sorted(configs.glob("*.yaml")) if file.stem not in SAMPLES]
    assert len(files) > 100
    assert said.keys() == {*SAMPLES, *(file.stem for file in files)}
    wrong = {}
    for file in files:
        status, words = said[file.stem]
        if status or f"config OK ({listed(yaml.safe_load(file.read_text()))} models)" not in words:
            wrong[file.stem] = f"{file.read_text()}\n{words[-1500:]}"
    assert not wrong, "\n\n".join(wrong.values())


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [("good", 0, "OK (1 models)"), ("dropped", 0, "OK (0 models)"), ("refused", 1, "failed")],
)
def test_what_is_judged_can_be_refused(name: str, status: int, words: str, said: dict[str, tuple[int, str]]) -> None:
    """Or the test above could not fail."""
    assert said[name][0] == status
    assert f"config {words}" in said[name][1] or f"config validation {words}" in said[name][1]
