"""Traces of engines, and what they share with the endpoint picker."""

from typing import Any

import pytest

from loco.layers import resolve
from loco.pods.tracing import trace_picker
from loco.spec import read_stack
from tests.plan.stacks import container_of, found, one, plan_of, planned, service

TRACING = {"exporterEndpoint": "http://collector:4317"}
EXPECTED = {
    "OTEL_SERVICE_NAME": "inference-server-decode",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317",
    "OTEL_TRACES_EXPORTER": "otlp",
    "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
    "OTEL_TRACES_SAMPLER_ARG": "0.05",
    "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME": "spec.nodeName",
    "OTEL_RESOURCE_ATTRIBUTES_POD_NAME": "metadata.name",
    "OTEL_RESOURCE_ATTRIBUTES": "k8s.namespace.name=llm,k8s.node.name=$(OTEL_RESOURCE_ATTRIBUTES_NODE_NAME),"
    "k8s.pod.name=$(OTEL_RESOURCE_ATTRIBUTES_POD_NAME),llmisvc.name=chat",
}
FLAGS = ["--otlp-traces-endpoint", "http://collector:4317", "--collect-detailed-traces", "all"]


def traced(tracing: dict[str, Any] | None = None, **engine: Any) -> dict[str, Any]:
    template = {"template": {"containers": [{"name": "main", **engine}]}} if engine else {}
    return {"tracing": TRACING if tracing is None else tracing, **template}


def variables(container: dict[str, Any]) -> dict[str, str]:
    """By name: a literal value, or the field of the pod."""
    return {
        item["name"]: item["value"] if "value" in item else item["valueFrom"]["fieldRef"]["fieldPath"]
        for item in container["env"]
        if item["name"].startswith("OTEL_")
    }


def test_engine_exports_its_traces() -> None:
    engine = container_of(planned(traced()))
    assert list(variables(engine).items()) == list(EXPECTED.items())  # in this order, as the last names others
    assert engine["args"] == FLAGS


def test_flags_follow_the_users_own_arguments() -> None:
    assert container_of(planned(traced(args=["--max-model-len", "9"])))["args"] == ["--max-model-len", "9", *FLAGS]


def test_prefill_has_a_name_of_its_own() -> None:
    plan = planned({**traced(), "prefill": {}})
    names = {}
    for workload in ("chat-kserve", "chat-kserve-prefill"):
        (engine,) = one(plan, "Deployment", workload).data["spec"]["template"]["spec"]["containers"]
        names[workload] = variables(engine)["OTEL_SERVICE_NAME"]
    assert names == {"chat-kserve": "inference-server-decode", "chat-kserve-prefill": "inference-server-prefill"}


def test_without_tracing_there_is_none() -> None:
    engine = container_of(planned())
    assert variables(engine) == {}
    assert not engine.get("args")


def test_what_the_user_wrote_stays() -> None:
    plan = planned(
        traced(
            env=[{"name": "OTEL_SERVICE_NAME", "value": "mine"}],
            args=["--otlp-traces-endpoint=http://other:1"],
        )
    )
    engine = container_of(plan)
    assert variables(engine)["OTEL_SERVICE_NAME"] == "mine"
    assert engine["args"] == ["--otlp-traces-endpoint=http://other:1", "--collect-detailed-traces", "all"]


@pytest.mark.parametrize("command", [["/bin/sh", "-c", "exec vllm serve"], ["vllm", "serve", "/mnt/models"]])
def test_with_a_command_of_the_users_own_there_are_no_flags(command: list[str]) -> None:
    plan = planned(traced(command=command))
    assert not container_of(plan).get("args")
    assert variables(container_of(plan)) == EXPECTED
    (warning,) = found(plan, "LOCO-NO-EFFECT", "warning")
    assert warning.path == "spec.tracing"
    assert " ".join(FLAGS) in warning.cure
    assert not planned(traced(command=[*command, *FLAGS])).findings


def test_without_an_endpoint_engines_have_none() -> None:
    plan = planned(traced({"exporterEndpoint": ""}))
    assert variables(container_of(plan)) == {}
    assert [warning.path for warning in plan.findings] == ["spec.tracing.exporterEndpoint"]


@pytest.mark.parametrize(
    ("tracing", "field"),
    [
        ({"exporterEndpoint": "collector"}, "exporterEndpoint"),
        ({"exporterEndpoint": "http://a b"}, "exporterEndpoint"),
        ({"samplerArg": "half"}, "samplerArg"),
        ({"samplerArg": "1.5"}, "samplerArg"),
        ({"samplerArg": "nan"}, "samplerArg"),
    ],
)
def test_tracing_that_cannot_be_is_refused(tracing: dict[str, str], field: str) -> None:
    assert [error.path for error in plan_of(service(traced(tracing))).errors] == [f"spec.tracing.{field}"]


def test_other_samplers_take_what_they_take() -> None:
    assert not planned(traced({"sampler": "mine", "samplerArg": "x"})).findings


def picker(spec: dict[str, Any], container: dict[str, Any]) -> dict[str, Any]:
    """The picker's container after tracing."""
    stack = read_stack("/nonexistent", {"files": [], "namespace": "llm"}, documents=[service(spec)])
    resolved, _ = resolve(stack.documents[0], stack)
    assert resolved is not None
    trace_picker(container, resolved)
    return container


def test_picker_is_traced_alike() -> None:
    container = picker(traced(), {"name": "main", "command": ["/epp"], "args": ["--v=1"]})
    assert container["args"] == ["--v=1", "--tracing=true"]
    assert variables(container) == {**EXPECTED, "OTEL_SERVICE_NAME": "inference-scheduler"}


@pytest.mark.parametrize(
    "written", [{"args": ["--tracing=false"]}, {"args": ["--tracing", "false"]}, {"command": ["/epp", "-tracing"]}]
)
def test_pickers_own_flag_stays(written: dict[str, Any]) -> None:
    container = picker(traced(), {"name": "main", **written})
    assert container.get("args") == written.get("args")


def test_picker_without_tracing_is_left_alone() -> None:
    assert picker({}, {"name": "main"}) == {"name": "main"}
