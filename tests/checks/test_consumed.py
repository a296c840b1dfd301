"""Every field of a spec changes a manifest, or is refused: none is accepted and ignored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

from loco.checks.unsupported import CONSUMED, CONSUMED_OF
from loco.spec import EXTERNAL_MODEL, GATEWAY, OBSERVABILITY, LLMInferenceServiceSpec
from loco.spec.document import SPEC_OF, Kind
from loco.spec.service import Workload
from tests.plan.stacks import base, found, plan_of, plan_text, service

# For each consumed path two values; the manifests of the two must differ.
CASES: dict[tuple[str, ...], tuple[Any, Any]] = {
    ("annotations",): ({"a": "1"}, {"a": "2"}),
    ("baseRefs",): ([{"name": "one"}], [{"name": "two"}]),
    ("labels",): ({"a": "1"}, {"a": "2"}),
    ("kvCacheOffloading", "cpu"): ("1Gi", "2Gi"),
    ("kvCacheOffloading", "evictionPolicy"): ("lru", "arc"),
    ("kvCacheOffloading", "secondary"): (
        [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}],
        [{"fileSystem": {"emptyDir": {"size": "2Gi"}}}],
    ),
    ("model", "confidential", "enabled"): (True, False),
    ("model", "confidential", "resourceId"): ("kbs:///a/b/c", "kbs:///a/b/d"),
    ("model", "lora", "adapters"): ([{"name": "x", "uri": "hf://org/x"}], [{"name": "y", "uri": "hf://org/x"}]),
    ("model", "lora", "maxAdapters"): (1, 2),
    ("model", "lora", "maxCpuAdapters"): (1, 2),
    ("model", "lora", "maxRank"): (8, 16),
    ("model", "name"): ("a", "b"),
    ("model", "uri"): ("hf://org/a", "hf://org/b"),
    ("parallelism", "data"): (4, 8),
    ("parallelism", "dataLocal"): (2, 4),
    ("parallelism", "dataRPCPort"): (1, 2),
    ("parallelism", "expert"): (True, False),
    ("parallelism", "pipeline"): (2, 4),
    ("parallelism", "tensor"): (1, 2),
    ("replicas",): (1, 2),
    ("rolloutStrategy",): ({"maxSurge": 1}, {"maxSurge": 2}),
    ("scaling",): (
        {"maxReplicas": 2, "wva": {"hpa": {}}},
        {"maxReplicas": 3, "wva": {"hpa": {}}},
    ),
    ("prefill", "scaling"): (
        {"maxReplicas": 2, "wva": {"hpa": {}}},
        {"maxReplicas": 3, "wva": {"hpa": {}}},
    ),
    ("storageInitializer",): ({"enabled": True}, {"enabled": False}),
    ("template",): ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}),
    ("tracing", "exporter"): ("otlp", "console"),
    ("tracing", "exporterEndpoint"): ("http://a:1", "http://b:1"),
    ("tracing", "sampler"): ("always_on", "always_off"),
    ("tracing", "samplerArg"): ("0.1", "0.2"),
    ("worker",): ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}),
    ("router", "gateway", "refs"): ([{"name": "a"}], [{"name": "b"}]),
    ("router", "route", "http", "spec"): ({"hostnames": ["a.x"]}, {"hostnames": ["b.x"]}),
    ("router", "route", "group"): ("a", "b"),
    ("router", "route", "http", "refs"): ([{"name": "mine"}], []),
    ("router", "route", "weight"): (1, 2),
    ("router", "scheduler", "annotations"): ({"a": "1"}, {"a": "2"}),
    ("router", "scheduler", "config"): ({"inline": {"kind": "A"}}, {"inline": {"kind": "B"}}),
    ("router", "scheduler", "labels"): ({"a": "1"}, {"a": "2"}),
    ("router", "scheduler", "pool"): (
        {"spec": {"targetPorts": [{"number": 1}]}},
        {"spec": {"targetPorts": [{"number": 2}]}},
    ),
    ("router", "scheduler", "replicas"): (1, 2),
    ("router", "scheduler", "template"): ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}),
    ("router", "scheduler", "tokenizer"): (
        {"template": {"nodeSelector": {"a": "1"}}},
        {"template": {"nodeSelector": {"a": "2"}}},
    ),
}
# What else the spec must say for a field to count, by the field.
BESIDE: dict[tuple[str, ...], dict[str, Any]] = {
    ("kvCacheOffloading", "evictionPolicy"): {"kvCacheOffloading": {"cpu": "1Gi"}},
    ("kvCacheOffloading", "secondary"): {"kvCacheOffloading": {"cpu": "1Gi"}},
    ("model", "confidential", "resourceId"): {"model": {"confidential": {"enabled": True}}},
    **{
        ("model", "lora", field): {"model": {"lora": {"adapters": [{"name": "x", "uri": "hf://org/x"}]}}}
        for field in ("maxAdapters", "maxCpuAdapters", "maxRank")
    },
    ("parallelism", "data"): {"parallelism": {"dataLocal": 2}, "worker": {}},
    ("parallelism", "dataLocal"): {"parallelism": {"data": 4}, "worker": {}},
    ("parallelism", "dataRPCPort"): {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {}},
    ("parallelism", "expert"): {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {}},
    ("parallelism", "pipeline"): {"worker": {}},
    ("worker",): {"parallelism": {"data": 4, "dataLocal": 2}},
    ("router", "route", "group"): {"router": {"route": {"weight": 1}}},
    ("router", "route", "weight"): {"router": {"route": {"group": "a"}}},
}
# The fields of a workload stand under prefill too.
for _path in [path for path in CASES if path[0] in {info.alias for info in Workload.model_fields.values()}]:
    CASES.setdefault(("prefill", *_path), CASES[_path])
    BESIDE.setdefault(("prefill", *_path), {"prefill": BESIDE.get(_path, {})})
BASES = (base({"labels": {"from": "one"}}, "one"), base({"labels": {"from": "two"}}, "two"))


def under(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two mappings, deep."""
    shared = {key: together(one[key], other[key]) for key in one.keys() & other.keys()}
    return {**one, **other, **shared}


def manifests_with(path: tuple[str, ...], value: Any) -> list[Any]:
    document = service()
    spec = together(BESIDE.get(path, {}), under(path, value))
    if path[:2] == ("router", "gateway"):
        spec["router"]["route"] = {}  # which alone is bound to gateways
    document["spec"] |= spec if path[0] != "model" else {"model": {**document["spec"]["model"], **spec["model"]}}
    others = [service({"router": {"route": {"group": "a", "weight": 1}}}, name="other")] if "group" in path else []
    plan = plan_of(document, *others, *BASES, platform={"gateway": {"name": "shared"}})
    assert not plan.errors
    return [manifest.data for manifest in plan.manifests]


@pytest.mark.parametrize("path", CONSUMED, ids=".".join)
def test_consumed_field_changes_a_manifest(path: tuple[str, ...]) -> None:
    first, second = CASES[path]
    assert manifests_with(path, first) != manifests_with(path, second)
    assert manifests_with(path, first) == manifests_with(path, first)


def test_every_case_is_of_a_consumed_field() -> None:
    assert CASES.keys() == set(CONSUMED)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from models_in(argument)


def is_list(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) is list or any(map(is_list, get_args(annotation)))


def parts(annotation: Any) -> Iterator[Any]:
    """An annotation and all that it is made of."""
    yield annotation
    for argument in get_args(annotation):
        yield from parts(argument)


def value_of(annotation: Any) -> Any:
    """Some value of a type, such as the model would take."""
    if is_list(annotation):
        return [{}]
    inner = list(parts(annotation))
    if any(part is dict or getattr(part, "__origin__", None) is dict for part in inner):
        return {"some": "text"}
    for kind, value in ((bool, True), (int, 3), (str, "text")):
        if kind in inner:
            return value
    raise AssertionError(f"no value is known for {annotation}")


def fields(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every field's path with a value for it; lists are leaves."""
    for name, info in model.model_fields.items():
        below = (*path, info.alias or name)
        inner = next(models_in(info.annotation), None)
        if inner is not None and not is_list(info.annotation):
            yield from fields(inner, below)
        else:
            yield below, value_of(info.annotation)


UNCONSUMED = {
    path: value
    for path, value in fields(LLMInferenceServiceSpec)
    if not any(path[: len(consumed)] == consumed for consumed in CONSUMED)
}


def test_all_fields_are_walked() -> None:
    walked = {path for path, _ in fields(LLMInferenceServiceSpec)}
    assert ("router", "scheduler", "tokenizer", "template") in walked
    assert ("model", "lora", "adapters") in walked
    assert ("prefill", "kvCacheOffloading", "secondary") in walked
    assert len(walked) > 50


@pytest.mark.parametrize("path", UNCONSUMED, ids=".".join)
def test_field_that_no_room_consumes_is_refused_at_its_line(tmp_path: Path, path: tuple[str, ...]) -> None:
    value = UNCONSUMED[path]
    if path[-1] in ("template", "worker"):
        value = {"containers": [{"name": "main", "image": "x"}]}
    document = service()
    spec = under(path, value)
    document["spec"] |= spec if path[0] != "model" else {"model": {**document["spec"]["model"], **spec["model"]}}
    text = yaml.safe_dump(document, sort_keys=False)
    plan = plan_text(tmp_path, text)
    errors = found(plan, "LOCO-UNSUPPORTED", "error")
    dotted = ".".join(("spec", *path))
    (error,) = (e for e in errors if dotted == e.path or dotted.startswith(f"{e.path}."))
    assert error.origin is not None
    assert (error.origin.file, error.origin.layer) == ("models.yaml", "service")
    assert error.origin.line is not None
    # A mapping's line is that of its first key.
    key = error.path.rpartition(".")[2]
    assert any(f"{key}:" in row for row in text.splitlines()[error.origin.line - 2 : error.origin.line])
    assert not plan.manifests


LOCO_SPECS: dict[Kind, dict[str, Any]] = {
    EXTERNAL_MODEL: {"provider": "openai", "model": "m", "url": "https://x/v1"},
    GATEWAY: {},
    OBSERVABILITY: {"traces": {"endpoint": "http://collector:4318"}},
}
# Fields that permit something rather than change it; tests/gateway has what is refused without them.
PERMITS = {(EXTERNAL_MODEL, "wildcard")}
# For each consumed path of loco's own kinds two values, likewise.
LOCO_CASES: dict[tuple[Kind, str], tuple[Any, Any]] = {
    (EXTERNAL_MODEL, "auth"): ({"headers": [{"name": "A", "value": "1"}]}, {"headers": [{"name": "A", "value": "2"}]}),
    (EXTERNAL_MODEL, "mode"): ("chat", "embedding"),
    (EXTERNAL_MODEL, "model"): ("a", "b"),
    (EXTERNAL_MODEL, "names"): (["a"], ["b"]),
    (EXTERNAL_MODEL, "provider"): ("openai", "mistral"),
    (EXTERNAL_MODEL, "url"): ("https://a/v1", "https://b/v1"),
    (EXTERNAL_MODEL, "info"): ({"base_model": "a"}, {"base_model": "b"}),
    (EXTERNAL_MODEL, "limits"): ({"parallelRequests": 1}, {"parallelRequests": 2}),
    (EXTERNAL_MODEL, "order"): (1, 2),
    (EXTERNAL_MODEL, "params"): ({"temperature": 0.1}, {"temperature": 0.2}),
    (EXTERNAL_MODEL, "retries"): (0, 1),
    (EXTERNAL_MODEL, "streamTimeoutSeconds"): (1, 2),
    (EXTERNAL_MODEL, "timeoutSeconds"): (1, 2),
    (EXTERNAL_MODEL, "weight"): (1, 2),
    (GATEWAY, "expose"): ({"hostnames": ["a.example.com"]}, {"hostnames": ["b.example.com"]}),
    (GATEWAY, "aliases"): ({"a": "one"}, {"b": "one"}),
    (GATEWAY, "autoscaling"): ({"maxReplicas": 3}, {"maxReplicas": 4}),
    (GATEWAY, "clients"): ([{"namespace": "a"}], [{"namespace": "b"}]),
    (GATEWAY, "contentPolicyFallbacks"): ([{"one": ["two"]}], [{"two": ["one"]}]),
    (GATEWAY, "contextWindowFallbacks"): ([{"one": ["two"]}], [{"two": ["one"]}]),
    (GATEWAY, "defaultFallbacks"): (["one"], ["two"]),
    (GATEWAY, "database"): (
        {"secretRef": {"name": "a", "key": "k"}},
        {"secretRef": {"name": "a", "key": "k"}, "connectionLimit": 5},
    ),
    (GATEWAY, "digests"): ("keyed", "reference"),
    (GATEWAY, "egress"): ({}, {"external": ["203.0.113.0/24"]}),
    (GATEWAY, "env"): ([{"name": "A", "value": "1"}], [{"name": "A", "value": "2"}]),
    (GATEWAY, "envFrom"): (
        [{"secretRef": {"name": "b"}}],
        [{"prefix": "P_", "secretRef": {"name": "b"}}],
    ),
    (GATEWAY, "extraConfig"): ({"litellm_settings": {"a": 1}}, {"litellm_settings": {"a": 2}}),
    (GATEWAY, "placement"): ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}),
    (GATEWAY, "pod"): ({"labels": {"a": "1"}}, {"labels": {"a": "2"}}),
    (GATEWAY, "probes"): ({"startup": {"periodSeconds": 1}}, {"startup": {"periodSeconds": 2}}),
    (GATEWAY, "redis"): ({"host": "a"}, {"host": "b"}),
    (GATEWAY, "saltKey"): ({"generate": True}, {"secretRef": {"name": "a", "key": "k"}}),
    (GATEWAY, "service"): ({"type": "NodePort"}, {"type": "LoadBalancer"}),
    (GATEWAY, "services"): ({"chat": {"weight": 1}}, {"chat": {"weight": 2}}),
    (GATEWAY, "fallbacks"): ([{"one": ["two"]}], [{"two": ["one"]}]),
    (GATEWAY, "image"): ("a:1", "b:1"),
    (GATEWAY, "masterKey"): ({"generate": True}, {"secretRef": {"name": "a", "key": "k"}}),
    (GATEWAY, "models"): ({"matchLabels": {"tier": "a"}}, {"matchLabels": {"tier": "b"}}),
    (GATEWAY, "replicas"): (1, 2),
    (GATEWAY, "via"): ("gateway", "service"),
    (OBSERVABILITY, "alerts"): ({}, {"for": "1m"}),
    (OBSERVABILITY, "callbacks"): (["arize"], ["opik"]),
    (OBSERVABILITY, "content"): (True, False),
    (OBSERVABILITY, "dashboard"): ({}, {"annotations": {"grafana_folder": "LLM"}}),
    (OBSERVABILITY, "env"): ([{"name": "A", "value": "1"}], [{"name": "A", "value": "2"}]),
    (OBSERVABILITY, "metrics"): ({}, {"interval": "1m"}),
    (OBSERVABILITY, "traces"): ({"endpoint": "http://a:1"}, {"endpoint": "http://b:1"}),
}


def loco_documents(kind: Kind, field: str, value: Any) -> list[dict[str, Any]]:
    """One document of a kind with a field set, among others that it may need."""
    others = [
        ("one", EXTERNAL_MODEL, {"labels": {"tier": "a"}}),
        ("two", EXTERNAL_MODEL, {"labels": {"tier": "b"}}),
        ("front", GATEWAY, {}),
        ("observability-dev", OBSERVABILITY, {}),
    ]
    documents = []
    for name, its_kind, metadata in others:
        chosen = its_kind == kind and name != "two"
        spec = {**LOCO_SPECS[its_kind], **({field: value} if chosen else {})}
        about = {"name": name, **metadata}
        documents.append({"apiVersion": "locostack.com/v1alpha1", "kind": its_kind, "metadata": about, "spec": spec})
    return documents


@pytest.mark.parametrize(("kind", "field"), LOCO_CASES, ids=".".join)
def test_consumed_field_of_locos_kinds_changes_a_manifest(kind: Kind, field: str) -> None:
    plans = []
    router = {"router": {"route": {}, "scheduler": {}}}
    for value in LOCO_CASES[kind, field]:
        platform = {"gateway": {"name": "shared", "internalURL": "http://gw"}}
        # The Secrets of the cases that name one.
        declared = {"a": {"k": {"existing": True}}, "b": {"KEY": {"existing": True}}}
        documents = loco_documents(kind, field, value)
        watched = {"enabled": kind == OBSERVABILITY}
        plan = plan_of(service(router), *documents, platform=platform, credentials=declared, observability=watched)
        assert not plan.errors
        plans.append([(manifest.data, manifest.reference_digest) for manifest in plan.manifests])
    assert plans[0] != plans[1]


@pytest.mark.parametrize("kind", LOCO_SPECS)
def test_fields_of_locos_kinds_are_consumed_or_refused(kind: Kind) -> None:
    consumed = {path[0] for path in CONSUMED_OF[kind]}
    assert consumed == {field for known, field in LOCO_CASES.keys() | PERMITS if known == kind}
    assert all(len(path) == 1 for path in CONSUMED_OF[kind])
    for name, info in SPEC_OF[kind].model_fields.items():
        field = info.alias or name
        if field not in consumed:
            plan = plan_of(service(), *loco_documents(kind, field, value_of(info.annotation)))
            (error,) = plan.errors
            assert (error.code, error.path) == ("LOCO-UNSUPPORTED", f"spec.{field}")
