"""Whatever well-typed pod a user writes, a plan comes back: objects that the tables accept, or errors; no traceback."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loco.spec import kubernetes
from loco.spec.kubernetes import Field
from tests.plan.stacks import external, gateway, plan_of, service

_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from(["", "a", "main", "home", "Always", "x y", "/mnt/models", "ALL", "$(A)", "{{ x }}"]),
    "int32": st.sampled_from([-1, 0, 1, 8000, 70000]),
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


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 3)
    | st.sampled_from(["", "a", "http://[::1", "*", "A-b", "os.environ/X"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "key", "a", "$patch"]), inner),
    max_leaves=4,
)


def _odd(*fields: str) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping with anything under some of the fields."""
    return st.dictionaries(st.sampled_from(fields), _JSON, max_size=3)


def _held(plan: Any) -> None:
    assert not [finding for finding in plan.findings if finding.code == "LOCO-MANIFEST"]
    assert all(str(finding) and finding.cure and finding.origin for finding in plan.findings)


_SECRET = st.fixed_dictionaries({"name": _JSON, "key": _JSON}) | _JSON
_AUTH = st.fixed_dictionaries(
    {},
    optional={
        "apiKey": st.fixed_dictionaries({"secretRef": _SECRET}) | _JSON,
        "bearerToken": _SECRET,
        "headers": st.lists(_odd("name", "value", "valueFrom"), max_size=2) | _JSON,
    },
)


@given(_odd("provider", "model", "url", "mode", "names", "auth"), _AUTH, _odd("labels", "annotations"))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_external_model_is_planned_or_refused(spec: dict[str, Any], auth: Any, metadata: dict[str, Any]) -> None:
    _held(plan_of(external({"auth": auth, **spec}, **metadata), gateway()))


@given(
    _odd("models", "replicas", "masterKey", "fallbacks", "via", "image", "expose"),
    st.fixed_dictionaries({}, optional={"generate": _JSON, "secretRef": _SECRET}),
    _odd("labels", "annotations"),
    _JSON,
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_gateway_is_planned_or_refused(
    spec: dict[str, Any], master_key: Any, metadata: dict[str, Any], credentials: Any
) -> None:
    document = gateway({"masterKey": master_key, **spec}, **metadata)
    _held(plan_of(document, external(), service(), credentials={"a": credentials}))


_ROUTE = _odd("parentRefs", "rules", "hostnames") | st.fixed_dictionaries(
    {
        "rules": st.lists(
            st.fixed_dictionaries(
                {}, optional={"backendRefs": st.lists(_JSON, max_size=2), "matches": st.lists(_JSON, max_size=2)}
            ),
            max_size=2,
        )
    }
)
_POOL = _odd("selector", "targetPorts", "template") | st.fixed_dictionaries(
    {"endpointPickerRef": _odd("kind", "name", "port", "group")}
)


@given(_ROUTE, _POOL, _JSON, _objects("Container", 3), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_router_is_planned_or_refused(
    route: dict[str, Any], pool: dict[str, Any], refs: Any, container: dict[str, Any], scheduled: bool
) -> None:
    scheduler = {"pool": {"spec": pool}, "template": {"containers": [{**container, "name": "main"}]}}
    router = {"route": {"http": {"spec": route}}, "gateway": {"refs": refs}}
    if scheduled:
        router["scheduler"] = scheduler
    _held(
        plan_of(service({"router": router}), gateway(), platform={"gateway": {"name": "g", "internalURL": "http://g"}})
    )


@pytest.mark.parametrize("field", ["url", "internalURL", "name", "namespace", "peers"])
@given(_JSON)
@settings(max_examples=30, deadline=None)
def test_any_platform_gateway_is_planned_or_refused(field: str, value: Any) -> None:
    routed = service({"router": {"route": {}, "scheduler": {}}})
    _held(plan_of(routed, gateway(), platform={"gateway": {"name": "g", field: value}}))
