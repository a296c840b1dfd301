"""Whether a stack is watched: off, on, and on without the document."""

from pathlib import Path
from typing import Any

import pytest

from loco import names
from loco.plan import Plan, plan_stack
from loco.spec import read_files
from tests.gateway.observability.stacks import EVERYTHING, ON, observability, ours
from tests.plan.stacks import external, found, gateway, plan_of


def plan(*documents: dict[str, Any], **config: Any) -> Plan:
    return plan_of(external(), gateway(), *documents, **config)


@pytest.mark.parametrize("config", [{}, {"observability": {"enabled": False}}])
def test_off_makes_nothing(config: dict[str, Any]) -> None:
    off = plan(observability(EVERYTHING, "observability-prod"), **config)
    assert not off.findings
    assert off.observability is None
    assert [m.data for m in off.manifests] == [m.data for m in plan().manifests]


@pytest.mark.parametrize("config", [{}, {"observability": {"enabled": False}}])
def test_off_with_a_document_for_this_stack_is_told(config: dict[str, Any]) -> None:
    off = plan(observability(EVERYTHING), **config)
    (finding,) = found(off, "LOCO-NO-EFFECT", "warning")
    assert (finding.subject, finding.path) == ("Observability/llm/observability-dev", "metadata.name")
    assert "enabled: true" in finding.cure
    assert [m.data for m in off.manifests] == [m.data for m in plan().manifests]


def test_on() -> None:
    on = plan(observability(EVERYTHING), observability(EVERYTHING, "observability-prod"), observability=ON)
    assert not on.errors
    assert on.observability is not None
    assert {m.component for m in ours(on)} == {"Observability/llm/observability-dev"}


@pytest.mark.parametrize(
    ("documents", "named"),
    [
        ([], "no such document"),
        ([observability(EVERYTHING, namespace="monitoring")], "in monitoring alone"),
        ([observability(EVERYTHING, "observability-prod")], "known are observability-prod"),
        ([observability(EVERYTHING, "observability-def")], "is observability-def meant"),
    ],
)
def test_on_but_missing(documents: list[dict[str, Any]], named: str) -> None:
    missing = plan(*documents, observability=ON)
    (finding,) = missing.errors
    assert (finding.code, finding.path) == ("LOCO-REFERENCE", "observability.enabled")
    assert "Observability/llm/observability-dev" in finding.message
    assert named in f"{finding.message} {finding.cure}"


def test_on_and_switched_off_by_an_override() -> None:
    off = plan(
        observability(EVERYTHING),
        observability=ON,
        overrides={"Observability/observability-dev": {"enabled": False}},
    )
    (finding,) = off.errors
    assert (finding.code, "override" in finding.message) == ("LOCO-REFERENCE", True)


def test_without_a_namespace_of_the_stack_the_only_one_is_meant() -> None:
    documents = [gateway(namespace="a"), observability(EVERYTHING, namespace="b")]
    assert plan_of(*documents, observability=ON, namespace=None).observability is not None
    several = plan_of(*documents, observability(EVERYTHING, namespace="c"), observability=ON, namespace=None)
    (finding,) = several.errors
    assert "in b, c" in finding.message


def test_another_one_of_the_name_is_told() -> None:
    two = plan(observability(EVERYTHING), observability(EVERYTHING, namespace="other"), observability=ON)
    (finding,) = found(two, "LOCO-NO-EFFECT")
    assert finding.subject == "Observability/other/observability-dev"
    assert two.observability is not None
    assert two.observability.namespace == "llm"


def test_another_stacks_document_is_not_looked_into() -> None:
    """It may lack what that stack's overrides add."""
    on = plan(observability(EVERYTHING), observability({"traces": {}}, "observability-prod"), observability=ON)
    assert not on.errors
    assert plan(observability({"traces": {}}), observability=ON).errors


@pytest.mark.parametrize("name", ["watch", "observability"])
def test_a_name_of_another_form(name: str) -> None:
    (finding,) = plan(observability(EVERYTHING, name)).errors
    assert (finding.code, finding.path) == ("LOCO-VALUE", "metadata.name")


@pytest.mark.parametrize(
    ("stack", "document"), [("dev", "observability-dev"), ("Prod_EU.2", "observability-prod-eu-2")]
)
def test_the_name_of_a_stack(stack: str, document: str) -> None:
    assert names.observability(stack) == document
    assert names.is_observability(document)


def test_the_name_of_a_long_stack() -> None:
    first, second = (names.observability("s" * 90 + end) for end in "ab")
    assert len(first) == len(second) == 63
    assert first != second
    assert plan(observability(EVERYTHING, first)).errors == ()


def test_the_switch_must_say_it() -> None:
    (finding,) = plan(observability=dict[str, Any]()).errors
    assert (finding.code, finding.path) == ("LOCO-VALUE", "observability.enabled")


def test_layers() -> None:
    layered = plan(
        observability({"metrics": {}}),
        observability=ON,
        defaults={"Observability": {"spec": {"metrics": {"interval": "1m"}}}},
        overrides={"Observability/observability-dev": {"spec": {"metrics": {"labels": {"release": "p"}}}}},
    )
    (monitor,) = (m for m in layered.manifests if m.id.kind == "ServiceMonitor")
    assert monitor.data["metadata"]["labels"]["release"] == "p"
    assert monitor.data["spec"]["endpoints"][0]["interval"] == "1m"


def test_bare_files_are_not_watched(tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(
        "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\n"
        "spec: {model: {uri: hf://org/m}}\n---\n"
        "apiVersion: locostack.com/v1alpha1\nkind: Observability\nmetadata: {name: observability-dev}\n"
        "spec: {metrics: {}}\n"
    )
    bare = plan_stack(read_files([file], "llm", {}))
    assert not bare.findings
    assert not ours(bare)
