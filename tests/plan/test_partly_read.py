"""One mistake in one document is told alone: nothing that only looks idle because that document isn't there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from loco.model import Finding
from loco.plan import plan_stack
from loco.spec import read_stack
from tests.plan.stacks import LOCO_API, base, external, found, gateway, service

CREDENTIALS = {
    "openai": {"token": {"config": "openaiToken"}},
    "tenant": {"id": {"existing": True}},
    "main-db": {"url": {"existing": True}},
    "langfuse": {"key": {"existing": True}},
    "hf": {"token": {"existing": True}},
}
AUTH: dict[str, Any] = {
    "apiKey": {"secretRef": {"name": "openai", "key": "token"}},
    "headers": [{"name": "X-Tenant", "valueFrom": {"secretKeyRef": {"name": "tenant", "key": "id"}}}],
}
FRONT: dict[str, Any] = {
    "database": {"secretRef": {"name": "main-db", "key": "url"}},
    "models": {"matchLabels": {"tier": "a"}},
}
WATCHED: dict[str, Any] = {
    "callbacks": ["langfuse_otel"],
    "env": [
        {"name": "LANGFUSE_PUBLIC_KEY", "value": "pk"},
        {"name": "LANGFUSE_SECRET_KEY", "valueFrom": {"secretKeyRef": {"name": "langfuse", "key": "key"}}},
    ],
    "metrics": {},
}
ENGINE: dict[str, Any] = {
    "template": {
        "containers": [
            {"name": "main", "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}]}
        ]
    }
}
PLATFORM = {
    "tls": True,
    "gateway": {"name": "shared", "namespace": "infra", "peers": [{"namespace": "infra"}]},
    "monitoring": {"peers": [{"namespace": "monitoring"}]},
}


def observability(spec: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {"name": "observability-test"}
    return {"apiVersion": LOCO_API, "kind": "Observability", "metadata": metadata, "spec": dict(spec)}


def findings_of(
    front: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
    watched: Mapping[str, Any] | None = None,
    engine: Mapping[str, Any] | None = None,
    without: str = "",
    **config: Any,
) -> list[Finding]:
    """A stack in which everything is used, with something laid over one of its documents."""
    documents = [
        gateway({**FRONT, **(front or {})}),
        external({"auth": AUTH, **(model or {})}, labels={"tier": "a"}),
        observability({**WATCHED, **(watched or {})}),
        service({**ENGINE, **(engine or {})}, labels={"tier": "a"}),
    ]
    settings = {
        "files": [],
        "namespace": "llm",
        "cluster": {"context": "test", "identifier": "test"},
        "credentials": CREDENTIALS,
        "observability": {"enabled": True},
        "platform": PLATFORM,
        "rotation": {"certificates": "1", "masterKeys": "1", "saltKeys": "1"},
        **config,
    }
    given = [document for document in documents if document["kind"] != without]
    return list(
        plan_stack(
            read_stack(Path("/nonexistent"), settings, stack="test", documents=given, secrets=["openaiToken"])
        ).findings
    )


def test_of_the_whole_there_is_nothing_to_say() -> None:
    assert [str(finding) for finding in findings_of()] == []


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        ({"front": {"autoscaling": {"maxReplicas": 3, "cpuUtilisation": 70}}}, "spec.autoscaling.cpuUtilisation"),
        ({"front": {"fallback": []}}, "spec.fallback"),
        ({"front": {"replicas": 2, "autoscaling": {"maxReplicas": 3}}}, "spec.replicas"),
        ({"model": {"auth": {**AUTH, "headers": [{"nmae": "X"}]}}}, "spec.auth.headers[0].nmae"),
        ({"watched": {"metric": {}}}, "spec.metric"),
        ({"without": "Observability"}, "observability.enabled"),
        ({"engine": {"replcas": 1}}, "spec.replcas"),
        ({"engine": {"baseRefs": [{"name": "absent"}]}}, "spec.baseRefs[0].name"),
        ({"defaults": {"LiteLLMGateway": {"spec": {"replica": 1}}}}, "defaults.LiteLLMGateway.spec.replica"),
        ({"overrides": {"LiteLLMGateway/main": {"spec": {"replicas": "x"}}}}, "replicas"),
        ({"overrides": {"LiteLLMGateway/main": {"spec": {"via": None, "aliases": {"a": 1}}}}}, "aliases.a"),
        ({"observability": {"enabeld": True}}, "observability.enabeld"),
    ],
)
def test_one_mistake_is_told_alone(broken: dict[str, Any], path: str) -> None:
    findings = findings_of(**broken)
    assert [str(finding) for finding in findings if finding.severity == "warning"] == []
    assert any(finding.path.endswith(path) for finding in findings)


@pytest.mark.parametrize(
    ("changed", "idle"),
    [
        ({"without": "ExternalModel"}, ["credentials.openai.token", "credentials.tenant.id"]),
        ({"without": "Observability", "observability": {"enabled": False}}, ["credentials.langfuse.key"]),
        ({"platform": {**PLATFORM, "tls": False}}, ["rotation.certificates"]),
        ({"front": {"models": {}}}, ["metadata.labels.tier", "metadata.labels.tier"]),
    ],
)
def test_what_is_idle_indeed_is_still_told(changed: dict[str, Any], idle: list[str]) -> None:
    assert sorted(finding.path for finding in findings_of(**changed)) == idle


def test_gateways_that_could_not_be_read_may_select_by_any_label() -> None:
    """One of two: the other one's selector isn't all that there is."""
    documents = [
        gateway({"models": {"matchLabels": {"tier": "a"}}}),
        gateway({"models": {"matchLabels": {"team": "x"}}, "wrong": 1}, "other"),
        external(labels={"tier": "a", "team": "x"}),
        service(labels={"tier": "a", "team": "x"}),
    ]
    settings = {"files": [], "namespace": "llm", "cluster": {"context": "test"}}
    (finding,) = plan_stack(read_stack(Path("/nonexistent"), settings, documents=documents)).findings
    assert finding.path == "spec.wrong"


@pytest.mark.parametrize("read", [True, False])
def test_a_pool_whose_pods_could_not_be_read_is_not_said_to_be_empty(read: bool) -> None:
    pool = {"pool": {"spec": {"selector": {"matchLabels": {"app": "x"}}, "targetPorts": [{"number": 8000}]}}}
    documents = [service({"router": {"scheduler": pool, "route": {}}}), base({} if read else {"replcas": 1}, "b")]
    settings = {"files": [], "namespace": "llm", "cluster": {"context": "test"}, "platform": PLATFORM}
    plan = plan_stack(read_stack(Path("/nonexistent"), settings, documents=documents))
    assert bool(found(plan, "LOCO-SELECTOR", "warning")) is read
