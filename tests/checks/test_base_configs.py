"""A base config where no service looks for it is a warning, such as one in KServe's system namespace."""

from typing import Any

import pytest

from tests.plan.stacks import base, found, plan_of, service

NAMED = "kserve-config-llm-template"
# Documents beside the service chat of the namespace llm, and the namespaces that the warnings are about.
CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "in the namespace of a service": ([base({})], []),
    "in KServe's system namespace": (
        [base({}, NAMED) | {"metadata": {"name": NAMED, "namespace": "kserve"}}],
        ["kserve"],
    ),
    "of another service": (
        [base({}) | {"metadata": {"name": "base", "namespace": "b"}}, service(name="other", namespace="b")],
        [],
    ),
}


@pytest.mark.parametrize(("documents", "namespaces"), CASES.values(), ids=CASES)
def test_base_configs_that_nobody_finds(documents: list[dict[str, Any]], namespaces: list[str]) -> None:
    warnings = [f for f in found(plan_of(service(), *documents), "LOCO-NO-EFFECT") if "base config" in f.message]
    assert [warning.subject.split("/")[1] for warning in warnings if warning.subject] == namespaces
    for warning in warnings:
        assert (warning.severity, warning.path) == ("warning", "metadata.namespace")
        assert "namespace: llm" in warning.cure


def test_base_configs_alone_are_no_warning() -> None:
    assert plan_of(base({})).findings == ()
