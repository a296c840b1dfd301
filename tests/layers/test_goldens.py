"""Merged specs, before any room makes objects of them, against what KServe made of the same inputs."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from loco import names
from loco.layers import Resolved, resolve
from loco.model import Finding, errors_of
from loco.spec import SERVICE, read_stack
from loco.spec.tree import at, plain
from tests.presets.test_goldens_runs import missing, placed, recorded_pod, without_commands

_LINES = (Path(__file__).parent / "goldens.txt").read_text("utf-8").splitlines()
LISTED = {name: note.strip() for name, _, note in (line.partition(":") for line in _LINES if line and line[0] != "#")}
SPEC = ("router", "scheduler", "pool", "spec")
ROUTE = ("router", "route", "http", "spec", "rules")


def resolved(shared: Path, golden: str) -> tuple[list[Resolved], list[Finding], dict[str, Any]]:
    """The services of an input, all in the namespace that it was recorded in."""
    folder = shared / "goldens" / golden
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    documents = [each for each in yaml.safe_load_all((folder / "input.yaml").read_text("utf-8")) if each]
    for document in documents:
        if document["kind"] != "Gateway":
            document["metadata"].pop("namespace", None)
    config = {
        "profile": "kserve",
        "namespace": expected["namespace"],
        "platform": {"tls": golden.endswith(".tls")},
        "cluster": {"context": "recorded"},
    }
    stack = read_stack(shared, config, documents=documents)
    findings, services = list(stack.findings), []
    for document in stack.documents:
        if document.kind == SERVICE:
            service, of_service = resolve(document, stack)
            findings += of_service
            services += [service] if service is not None else []
    return services, findings, expected


def named(note: str) -> list[str]:
    return [name for name, said in LISTED.items() if said == note]


def test_every_recorded_input_is_listed(shared: Path) -> None:
    assert set(LISTED) == {path.name for path in (shared / "goldens").iterdir() if path.is_dir()}


@pytest.mark.parametrize("golden", named(""))
def test_merged_specs_agree(golden: str, shared: Path) -> None:
    services, findings, expected = resolved(shared, golden)
    assert not errors_of(findings), [str(finding) for finding in findings]
    applied = {status["name"]: status["appliedConfigs"] for status in expected["status"]}
    assert {service.name for service in services} == set(applied)
    objects = {(o["kind"], o["metadata"]["name"]): o["spec"] for o in expected["objects"] if "spec" in o}
    for service in services:
        reference = [(config["name"].removeprefix("kserve-"), config["source"]) for config in applied[service.name]]
        assert [(config.name, config.source) for config in service.applied] == reference
        if not objects:
            continue  # stopped: chosen and merged, and nothing made of it
        for word, pod in placed(service):
            assert list(missing(without_commands(pod), recorded_pod(word, service, objects))) == [], word
        pool = at(service.tree, SPEC)
        made = objects.get(("InferencePool", names.inference_pool(service.name)))
        assert (pool is None) == (made is None)
        assert pool is None or list(missing(plain(pool), made)) == []
        rules = at(service.tree, ROUTE)
        route = objects.get(("HTTPRoute", names.route(service.name)))
        assert (rules is None) == (route is None)
        if rules is not None and route is not None:
            assert list(missing(_without_backends(plain(rules)), route["rules"])) == []


@pytest.mark.parametrize("golden", named("ours works"))
def test_works_where_the_reference_has_no_preset(golden: str, shared: Path) -> None:
    services, findings, expected = resolved(shared, golden)
    assert expected["objects"] == []
    assert not errors_of(findings), [str(finding) for finding in findings]
    assert services
    assert all(service.applied for service in services)


@pytest.mark.parametrize("golden", named("refused"))
def test_refused_with_the_place_of_the_fault(golden: str, shared: Path) -> None:
    services, findings, _ = resolved(shared, golden)
    assert services == []
    (error,) = errors_of(findings)
    assert error.path.startswith("spec.")
    assert error.cure


def _without_backends(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Which backend a rule has is the routing room's to say."""
    return [{key: value for key, value in rule.items() if key != "backendRefs"} for rule in rules]
