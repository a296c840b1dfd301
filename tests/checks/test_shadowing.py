"""Services that answer to the same requests are told of it."""

from typing import Any

import pytest

from tests.plan.stacks import found, plan_of, service

PLATFORM = {"gateway": {"name": "g", "namespace": "infra"}}


def routed(name: str, model: str, adapters: tuple[str, ...] = (), **route: Any) -> dict[str, Any]:
    lora = {"adapters": [{"name": adapter, "uri": "hf://a/b"} for adapter in adapters]}
    served = {"uri": "hf://a/b", "name": model, **({"lora": lora} if adapters else {})}
    namespace, _, plain = name.rpartition("/")
    return service({"model": served, "router": {"route": route}}, plain, namespace or None)


def rules(*matches: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "http": {"spec": {"rules": [{"matches": list(matches), "backendRefs": [{"name": "x", "port": 1}]}], **spec}}
    }


PATH = {"path": {"value": "/mine"}}
SPELT = {"path": {"type": "PathPrefix", "value": "/mine/"}}
HEADER = {**PATH, "headers": [{"name": "X-A", "value": "1"}]}
SMALL = {**PATH, "headers": [{"name": "x-a", "type": "Exact", "value": "1"}]}


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([routed("a", "m"), routed("b", "n")], []),
        ([routed("a", "m"), routed("b", "m")], [("b", "spec.model.name", "m")]),
        ([routed("a", "m"), routed("other/b", "m")], []),
        ([routed("a", "m", ("l",)), routed("b", "l")], [("b", "spec.model.name", "l")]),
        ([routed("a", "m", ("l",)), routed("b", "n", ("l",))], [("b", "spec.model.name", "l")]),
        ([routed("a", "m", group="g", weight=1), routed("b", "m", group="g", weight=1)], []),
        ([routed("a", "org"), routed("b", "org/v1")], [("b", "spec.model.name", "org/v1")]),
        ([routed("a", "org"), routed("b", "org/v1/x")], [("b", "spec.model.name", "org/v1/x")]),
        ([routed("a", "org"), routed("b", "org/v2")], []),
        ([routed("a", "m", **rules(PATH)), routed("b", "n", **rules(SPELT))], [("b", "RULES", SPELT)]),
        ([routed("a", "m", **rules(PATH)), routed("other/b", "m", **rules(PATH))], [("b", "RULES", PATH)]),
        ([routed("a", "m", **rules(PATH)), routed("b", "n", **rules(HEADER))], []),
        ([routed("a", "m", **rules(HEADER)), routed("b", "n", **rules(SMALL))], [("b", "RULES", SMALL)]),
        (
            [
                routed("a", "m", **rules(PATH, hostnames=["a.x"])),
                routed("b", "n", **rules(PATH, hostnames=["b.x", "a.x"])),
            ],
            [("b", "RULES", PATH)],
        ),
        (
            [routed("a", "m", **rules(PATH, hostnames=["a.x"])), routed("b", "n", **rules(PATH, hostnames=["b.x"]))],
            [],
        ),
        ([routed("a", "m", **rules({"path": {"value": "/llm/b"}})), routed("b", "n")], [("b", "RULES", None)]),
    ],
)
def test_told_once_for_each_pair(documents: list[dict[str, Any]], expected: list[tuple[str, str, Any]]) -> None:
    told = found(plan_of(*documents, platform=PLATFORM), "LOCO-SHADOWED", "warning")
    places = {"RULES": "spec.router.route.http.spec.rules"}
    assert [(f.subject and f.subject.rpartition("/")[2], f.path) for f in told] == [
        (name, places.get(path, path)) for name, path, _ in expected
    ]
    for finding, (_, _, value) in zip(told, expected, strict=True):
        assert value in (None, finding.value)


def test_gateways_apart_share_no_match() -> None:
    other = service(
        {
            "model": {"uri": "hf://a/b", "name": "n"},
            "router": {"route": rules(PATH), "gateway": {"refs": [{"name": "another"}]}},
        },
        "b",
    )
    assert not found(plan_of(routed("a", "m", **rules(PATH)), other, platform=PLATFORM), "LOCO-SHADOWED", "warning")
