"""Every field of a spec changes a manifest, or is refused: none is accepted and ignored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

from loco.checks.unsupported import CONSUMED, CONSUMED_OF
from loco.spec import EXTERNAL_MODEL, GATEWAY, LLMInferenceServiceSpec
from loco.spec.document import SPEC_OF, Kind
from tests.plan.stacks import base, found, plan_of, plan_text, service

# For each consumed path two values; the manifests of the two must differ.
CASES: dict[tuple[str, ...], tuple[Any, Any]] = {
    ("annotations",): ({"a": "1"}, {"a": "2"}),
    ("baseRefs",): ([{"name": "one"}], [{"name": "two"}]),
    ("labels",): ({"a": "1"}, {"a": "2"}),
    ("model", "name"): ("a", "b"),
    ("model", "uri"): ("hf://org/a", "hf://org/b"),
    ("parallelism", "tensor"): (1, 2),
    ("replicas",): (1, 2),
    ("rolloutStrategy",): ({"maxSurge": 1}, {"maxSurge": 2}),
    ("storageInitializer",): ({"enabled": True}, {"enabled": False}),
    ("template",): ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}),
    ("router", "gateway", "refs"): ([{"name": "a"}], [{"name": "b"}]),
    ("router", "route", "http", "spec"): ({"hostnames": ["a.x"]}, {"hostnames": ["b.x"]}),
    ("router", "scheduler", "annotations"): ({"a": "1"}, {"a": "2"}),
    ("router", "scheduler", "labels"): ({"a": "1"}, {"a": "2"}),
    ("router", "scheduler", "pool", "spec"): ({"targetPorts": [{"number": 1}]}, {"targetPorts": [{"number": 2}]}),
    ("router", "scheduler", "replicas"): (1, 2),
    ("router", "scheduler", "template"): ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}),
}
BASES = (base({"labels": {"from": "one"}}, "one"), base({"labels": {"from": "two"}}, "two"))


def under(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def manifests_with(path: tuple[str, ...], value: Any) -> list[Any]:
    document = service()
    spec = under(path, value)
    if path[:2] == ("router", "gateway"):
        spec["router"]["route"] = {}  # which alone is bound to gateways
    document["spec"] |= spec if path[0] != "model" else {"model": {**document["spec"]["model"], **spec["model"]}}
    plan = plan_of(document, *BASES, platform={"gateway": {"name": "shared"}})
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
    assert ("prefill", "parallelism", "dataRPCPort") in UNCONSUMED
    assert ("router", "scheduler", "tokenizer", "template") in UNCONSUMED
    assert ("model", "lora", "adapters") in UNCONSUMED
    assert ("kvCacheOffloading", "secondary") in UNCONSUMED
    assert len(UNCONSUMED) > 50


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
    GATEWAY: {"replicas": 1},
}
# For each consumed path of loco's own kinds two values, likewise.
LOCO_CASES: dict[tuple[Kind, str], tuple[Any, Any]] = {
    (EXTERNAL_MODEL, "auth"): ({"headers": [{"name": "A", "value": "1"}]}, {"headers": [{"name": "A", "value": "2"}]}),
    (EXTERNAL_MODEL, "mode"): ("chat", "embedding"),
    (EXTERNAL_MODEL, "model"): ("a", "b"),
    (EXTERNAL_MODEL, "names"): (["a"], ["b"]),
    (EXTERNAL_MODEL, "provider"): ("openai", "mistral"),
    (EXTERNAL_MODEL, "url"): ("https://a/v1", "https://b/v1"),
    (GATEWAY, "fallbacks"): ([{"one": ["two"]}], [{"two": ["one"]}]),
    (GATEWAY, "image"): ("a:1", "b:1"),
    (GATEWAY, "masterKey"): ({"generate": True}, {"secretRef": {"name": "a", "key": "k"}}),
    (GATEWAY, "models"): ({"matchLabels": {"tier": "a"}}, {"matchLabels": {"tier": "b"}}),
    (GATEWAY, "replicas"): (1, 2),
    (GATEWAY, "via"): ("gateway", "service"),
}


def loco_documents(kind: Kind, field: str, value: Any) -> list[dict[str, Any]]:
    """One document of a kind with a field set, among others that it may need."""
    others = [
        ("one", EXTERNAL_MODEL, {"labels": {"tier": "a"}}),
        ("two", EXTERNAL_MODEL, {"labels": {"tier": "b"}}),
        ("front", GATEWAY, {}),
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
        plan = plan_of(service(router), *loco_documents(kind, field, value), platform=platform)
        assert not plan.errors
        plans.append([manifest.data for manifest in plan.manifests])
    assert plans[0] != plans[1]


@pytest.mark.parametrize("kind", LOCO_SPECS)
def test_fields_of_locos_kinds_are_consumed_or_refused(kind: Kind) -> None:
    consumed = {path[0] for path in CONSUMED_OF[kind]}
    assert consumed == {field for known, field in LOCO_CASES if known == kind}
    assert all(len(path) == 1 for path in CONSUMED_OF[kind])
    for name, info in SPEC_OF[kind].model_fields.items():
        field = info.alias or name
        if field not in consumed:
            plan = plan_of(service(), *loco_documents(kind, field, value_of(info.annotation)))
            (error,) = plan.errors
            assert (error.code, error.path) == ("LOCO-UNSUPPORTED", f"spec.{field}")
