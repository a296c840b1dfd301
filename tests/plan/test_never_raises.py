"""Whatever well-typed pod a user writes, a plan comes back: objects that the tables accept, or errors; no traceback."""

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loco.spec import kubernetes
from loco.spec.kubernetes import Field
from tests.plan.stacks import plan_of, service

_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from(["", "a", "main", "home", "Always", "x y", "/mnt/models", "ALL", "$(A)", "{{ x }}"]),
    "integer": st.sampled_from([-1, 0, 1, 8000, 70000]),
    "number": st.sampled_from([0, 1.5]),
    "boolean": st.booleans(),
    "quantity": st.sampled_from(["1", "500m", "-1", "1e999999999", 2, 0.5, "8Gi"]),
    "int-or-string": st.sampled_from([0, 8000, "a"]),
    "bytes": st.just("YQ=="),
    "time": st.just("2026-01-31T12:00:00Z"),
    "any": st.none(),
    "object": st.just({}),
}
_KEYS = st.sampled_from(["a", "nvidia.com/gpu", "cpu", "hugepages-2Mi", "a b", ""])


def _values(field: Field, depth: int) -> st.SearchStrategy[Any]:
    one: st.SearchStrategy[Any]
    if field.of is not None:
        one = _objects(field.of, depth - 1)
    else:
        one = st.sampled_from(field.enum) if field.enum else _SCALARS[field.type]
    shapes: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
        "list": lambda: st.lists(one, max_size=2),
        "map": lambda: st.dictionaries(_KEYS, one, max_size=2),
    }
    return shapes[field.shape]() if field.shape in shapes else one


@cache
def _objects(definition: str, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    fields = kubernetes.definition(definition)
    if depth <= 0:
        return st.just({"name": "main"} if "name" in fields else {})

    def some(keys: list[str]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({key: _values(fields[key], depth) for key in keys})

    required = [key for key, field in fields.items() if field.required]
    return st.lists(st.sampled_from(sorted(fields)), max_size=3).flatmap(lambda keys: some([*required, *keys]))


@given(_objects("PodSpec", 5), st.sampled_from(["safe", "kserve"]), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_pod_is_planned_or_refused(pod: dict[str, Any], profile: str, tls: bool) -> None:
    plan = plan_of(service({"template": pod}), profile=profile, platform={"tls": tls})
    assert not [finding for finding in plan.findings if finding.code == "LOCO-MANIFEST"]
    assert bool(plan.errors) or plan.manifests
    assert all(str(finding) for finding in plan.findings)


@given(_objects("Container", 4), st.sampled_from(["safe", "kserve"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_engine_is_planned_or_refused(container: dict[str, Any], profile: str) -> None:
    plan = plan_of(service({"template": {"containers": [{**container, "name": "main"}]}}), profile=profile)
    assert not [finding for finding in plan.findings if finding.code == "LOCO-MANIFEST"]
    assert bool(plan.errors) or plan.manifests
