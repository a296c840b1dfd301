"""Gateways in production, of any settings together: the plan is refused with all that it takes to mend it, or holds."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loco import names
from loco.plan import Plan, plan_stack
from loco.spec import read_stack
from loco.spec.texts import is_label_value, is_namespace, is_qualified
from tests.cases.references import references
from tests.plan.stacks import LOCO_API, external, found, gateway, service

LONG = "g" * 253
SECRET = {"name": "s", "key": "KEY"}
URL = {"secretRef": SECRET}
CREDENTIALS = {
    "s": {"KEY": {"existing": True}},
    LONG: {"KEY": {"existing": True}},
}
STACKS = ["dev", "prod-eu.1", "feature_x", "UPPER", "_", "s" * 100]


def _some(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in fields.items()})


_VOLUME = {"name": "v", "emptyDir": {}}
_SIDE = {"name": "side", "image": "side:1"}
_PODS: list[Any] = [
    {"containers": [_SIDE], "volumes": [_VOLUME], "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
    {"containers": [{**_SIDE, "ports": [{"containerPort": 4001, "name": "metrics"}]}]},
    {"containers": [{**_SIDE, "securityContext": {"privileged": True}}]},
    {"containers": [{"name": "side"}], "initContainers": [{**_SIDE, "livenessProbe": {}}]},
    {"volumes": [{"name": "authorities", "emptyDir": {}}], "serviceAccountName": LONG},
    {"volumes": [{**_VOLUME, "secret": {"secretName": "x"}}]},
    {"volumeMounts": [{"name": "tmp", "mountPath": "/etc/litellm/x"}]},
    {"containers": [None]},
    {"labels": {"app.kubernetes.io/name": "x"}},
    {},
    None,
]
_GATEWAY = _some(
    database=[
        {"secretRef": SECRET},
        {"secretRef": {"name": LONG, "key": "KEY"}, "migration": {"secretRef": SECRET, "backoffLimit": 0}},
        {"secretRef": SECRET, "migration": {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}},
        {},
        None,
    ],
    redis=[{"host": "redis"}, {"host": "*.a.b"}, {"url": URL}, {"host": "10.0.0.1", "password": URL}, {"url": {}}],
    replicas=[0, 1, 3, None],
    autoscaling=[
        {"maxReplicas": 2},
        {"maxReplicas": 1},
        {"maxReplicas": 3, "requestsInFlight": 2},
        {"maxReplicas": 3, "requestsInFlight": 2, "keda": {}},
        {"maxReplicas": 3, "keda": {"fallback": {"failureThreshold": 1, "replicas": 9}}},
        {"maxReplicas": 3, "behavior": {"scaleUp": {"stabilizationWindowSeconds": 9999}}},
    ],
    clients=[[{"namespace": "a"}], []],
    egress=[
        {},
        {"database": {"peers": [{"namespace": "data"}]}, "redis": {"peers": [{"cidr": "10.0.0.0/8"}]}},
        {"others": [{"peers": []}]},
        {"external": ["1.2.3.4/32"]},
    ],
    service=[{"type": "LoadBalancer", "loadBalancerClass": "a/b"}, {"loadBalancerClass": "a/b"}, {"labels": {"a": ""}}],
    env=[
        [{"name": "DATABASE_URL", "value": "postgres://u:p@h/d"}],
        [{"name": "OTEL_ENDPOINT", "value": "x"}],
        [{"name": "REDIS_HOST", "value": "x"}, {"name": "A", "valueFrom": {"secretKeyRef": SECRET}}],
    ],
    envFrom=[[{"secretRef": {"name": "s"}}], [{"secretRef": {"name": "s"}}, {"secretRef": {"name": "s"}}]],
    extraConfig=[
        {"litellm_settings": {"callbacks": ["prometheus", "otel"], "success_callback": ["otel"]}},
        {"general_settings": {"database_url": "x", "coordination_redis": {}}},
        {"litellm_settings": [1]},
    ],
    pod=_PODS,
    expose=[{"hostnames": ["llm.example.com"]}, {"hostnames": ["a.b"], "ingress": {"className": "n"}}],
    saltKey=[{"generate": True}, {"secretRef": SECRET}],
)
_OBSERVABILITY = _some(
    traces=[
        {"endpoint": "http://c:4318"},
        {"endpoint": "grpc://c"},
        {"endpoint": "https://o.example.com", "headers": URL, "protocol": "grpc"},
        {"endpoint": "http://c", "headers": {"secretRef": {"name": "missing", "key": "k"}}},
    ],
    callbacks=[["arize"], ["otel"], ["langfuse"], []],
    env=[[{"name": "A", "value": "b"}], [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": SECRET}}]],
    content=[True, "yes"],
    metrics=[{}, {"gateway": {"port": 4001}}, {"gateway": {"port": 4000}}, {"labels": {"a": "b"}, "interval": "7s"}],
    dashboard=[{}, {"labels": {"a": "b"}}],
    alerts=[{}, {"ruleLabels": {"a-b": "c"}}, {"thresholds": {"engineQueue": 10**9, "gatewayLatencySeconds": 1e-9}}],
)
_SERVICES: list[dict[str, Any]] = [
    {},
    {"router": {"route": {}, "scheduler": {}}},
    {"prefill": {}, "router": {"route": {}, "scheduler": {}}},
    {"worker": {}, "parallelism": {"data": 4, "dataLocal": 2}},
    {"replicas": 0},
]
_NAMES = ["main", "a", "g" * 60, "main-litellm-metrics", "m" + "-x" * 29]
_DOCUMENTS = st.builds(
    lambda gateways, services: [
        *(gateway(spec, name, namespace=place) for name, (spec, place) in gateways.items()),
        *(
            service({"model": {"uri": "hf://a/b", "name": name}, **spec}, name, namespace=place)
            for name, (spec, place) in services.items()
        ),
        external({"limits": {"requestsPerMinute": 5}}),
    ],
    st.dictionaries(
        st.sampled_from(_NAMES),
        st.tuples(_GATEWAY, st.sampled_from(["llm", "n" * 63])),
        min_size=1,
        max_size=2,
    ),
    st.dictionaries(
        st.sampled_from(["chat", "s" * 50]),
        st.tuples(st.sampled_from(_SERVICES), st.sampled_from(["llm", "other"])),
        max_size=2,
    ),
)
_PLATFORM = _some(
    tls=[True],
    gateway=[{"name": "shared", "namespace": "infra", "internalURL": "http://g.infra.svc"}],
    monitoring=[{"prometheus": "http://p:9090", "peers": [{"namespace": "m"}]}, {"peers": [{"cidr": "10.0.0.0/8"}]}],
)


def planned(stack: str, documents: list[dict[str, Any]], **config: Any) -> Plan:
    cluster = {"context": "t", "identifier": "t"}
    given = {"files": [], "namespace": "llm", "cluster": cluster, "credentials": CREDENTIALS, **config}
    return plan_stack(read_stack(Path("/nonexistent"), given, documents=documents, stack=stack))


@given(
    _DOCUMENTS,
    _OBSERVABILITY,
    st.sampled_from(STACKS),
    _PLATFORM,
    st.sampled_from(["safe", "kserve"]),
    st.sampled_from([None, True, False]),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_combination_is_refused_in_full_or_holds(
    documents: list[dict[str, Any]],
    spec: dict[str, Any],
    stack: str,
    platform: dict[str, Any],
    profile: str,
    enabled: bool | None,
) -> None:
    about = {"name": names.observability(stack)}
    watch = {"apiVersion": LOCO_API, "kind": "Observability", "metadata": about, "spec": spec}
    config: dict[str, Any] = {"platform": platform, "profile": profile}
    if enabled is not None:
        config["observability"] = {"enabled": enabled}
    plan = planned(stack, [*documents, watch], **config)
    assert not found(plan, "LOCO-MANIFEST")
    for finding in plan.findings:
        assert finding.path, finding
        assert finding.cure, finding
        assert finding.origin, finding
        assert finding.message, finding
        assert "hunter2" not in str(finding)
    again = planned(stack, [*documents, watch], **config)
    assert [m.data for m in again.manifests] == [m.data for m in plan.manifests]
    if not plan.errors:
        _holds(plan, bool(enabled))


def _holds(plan: Plan, watched: bool) -> None:
    there = {(m.id.kind, m.namespace, m.name) for m in plan.manifests}
    assert len(there) == len(plan.manifests)
    position = {manifest.id: number for number, manifest in enumerate(plan.manifests)}
    assert all(position[edge.before] < position[edge.after] for edge in plan.edges)
    assert bool([m for m in plan.manifests if (m.component or "").startswith("Observability/")]) <= watched
    elsewhere = {"g" * 253, "s", "x", "p"}
    for who, (kind, namespace, name) in references(plan):
        assert (kind, namespace, name) in there or name in elsewhere or kind == "InferencePool", f"{who}: {kind} {name}"
    for manifest in plan.manifests:
        assert is_namespace(manifest.name), manifest.id
        labels = manifest.data["metadata"].get("labels") or {}
        assert all(is_qualified(key) and is_label_value(value) for key, value in labels.items())
        json.dumps(manifest.data, allow_nan=False)
        if manifest.id.kind == "Deployment":
            _serves(manifest.data["spec"]["template"]["spec"])


def _serves(pod: dict[str, Any]) -> None:
    """Containers of one pod share names, ports, volumes; none of these stands there twice."""
    containers = [*pod["containers"], *pod.get("initContainers", [])]
    ports = [port for each in containers for port in each.get("ports", [])]
    volumes = [volume["name"] for volume in pod.get("volumes", [])]
    for listed in (
        [each["name"] for each in containers],
        [(port["containerPort"], port.get("protocol", "TCP")) for port in ports],
        volumes,
        *([variable["name"] for variable in each.get("env", [])] for each in containers),
        *([mount["mountPath"] for mount in each.get("volumeMounts", [])] for each in containers),
    ):
        assert len(set(listed)) == len(listed), listed
    assert {mount["name"] for each in containers for mount in each.get("volumeMounts", [])} <= set(volumes)


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_has_a_document_that_can_be_written(stack: str) -> None:
    name = names.observability(stack)
    watch = {"apiVersion": LOCO_API, "kind": "Observability", "metadata": {"name": name}, "spec": {"metrics": {}}}
    plan = planned(stack, [external(), gateway(), watch], observability={"enabled": True})
    assert not plan.errors
    assert [m.name for m in plan.manifests if m.id.kind == "ServiceMonitor"] == ["main-litellm"]
