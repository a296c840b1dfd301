"""Every field of an Observability changes an object, down to the last one."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from loco.spec.observability import ObservabilitySpec
from tests.gateway.observability.stacks import EVERYTHING, ROUTED, model, watched
from tests.plan.stacks import external, gateway

ENV = [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "otel", "key": "headers"}}}]
# For each field a value that isn't the one which stands there without it.
CASES: dict[str, Any] = {
    "traces.endpoint": "http://other:4318",
    "traces.protocol": "grpc",
    "traces.headers.secretRef": {"name": "otel", "key": "headers"},
    "traces.environment": "production",
    "callbacks": ["arize"],
    "env": ENV,
    "content": True,
    "metrics.interval": "7s",
    "metrics.labels": {"release": "p"},
    "metrics.gateway.port": 4001,
    "dashboard.labels": {"team": "ml"},
    "dashboard.annotations": {"grafana_folder": "LLM"},
    "alerts.labels": {"release": "p"},
    "alerts.ruleLabels": {"team": "ml"},
    "alerts.for": "1h",
    "alerts.durations": {"LLMTargetDown": "1h"},
    "alerts.thresholds.gatewayErrorRatio": 0.9,
    "alerts.thresholds.gatewayLatencySeconds": 3.5,
    "alerts.thresholds.engineQueue": 3,
    "alerts.thresholds.kvCacheUsage": 0.5,
    "alerts.thresholds.timeToFirstTokenSeconds": 2,
    "alerts.thresholds.pickerErrorRatio": 0.9,
}


def fields(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every field, sections taken apart; a reference to a Secret is one."""
    for name, info in model.model_fields.items():
        here = f"{path}{info.alias or name}"
        inner = [each for each in (info.annotation, *getattr(info.annotation, "__args__", ())) if _is_section(each)]
        if inner:
            yield from fields(inner[0], f"{here}.")
        else:
            yield here


def _is_section(annotation: Any) -> bool:
    return (
        isinstance(annotation, type)
        and issubclass(annotation, BaseModel)
        and annotation.__name__ not in ("SecretKey", "Variable")
    )


def test_every_field_has_a_case() -> None:
    assert set(fields(ObservabilitySpec)) == CASES.keys()


def laid(spec: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    first, *rest = path
    return {**spec, first: laid(spec.get(first) or {}, rest, value) if rest else value}


def objects(spec: Mapping[str, Any]) -> list[Any]:
    credentials = {"otel": {"headers": {"existing": True}}}
    plan = watched(spec, model("one", ROUTED), external(), gateway(), credentials=credentials)
    assert not plan.errors, "\n".join(map(str, plan.errors))
    return [manifest.data for manifest in plan.manifests]


@pytest.mark.parametrize("field", CASES)
def test_changes_an_object(field: str) -> None:
    assert objects(laid(EVERYTHING, field.split("."), CASES[field])) != objects(EVERYTHING)
