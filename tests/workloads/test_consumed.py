"""Every field of a spec changes a manifest, or is refused: none is accepted and ignored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

from loco.spec import LLMInferenceServiceSpec
from loco.workloads.consumed import CONSUMED
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
}
BASES = (base({"labels": {"from": "one"}}, "one"), base({"labels": {"from": "two"}}, "two"))


def under(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def manifests_with(path: tuple[str, ...], value: Any) -> list[Any]:
    document = service()
    spec = under(path, value)
    document["spec"] |= spec if path[0] != "model" else {"model": {**document["spec"]["model"], **spec["model"]}}
    plan = plan_of(document, *BASES)
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
    assert len(UNCONSUMED) > 60


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
