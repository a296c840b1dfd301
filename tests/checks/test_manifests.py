"""Manifests made by hand: what the tables refuse, objects asked for twice, selectors that meet the wrong pods."""

from typing import Any

import pytest

from loco import names
from loco.checks import check_manifests, check_selectors, check_unique
from loco.model import Manifest, Origin

ORIGIN = Origin("service", "models.yaml", 3)


def manifest(kind: str, name: str = "a", namespace: str = "llm", component: str | None = None, **rest: Any) -> Manifest:
    api = {"Deployment": "apps/v1", "InferencePool": "inference.networking.k8s.io/v1"}.get(kind, "v1")
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return Manifest({"apiVersion": api, "kind": kind, "metadata": metadata, **rest}, component, ORIGIN)


def deployment(name: str, labels: dict[str, str], namespace: str = "llm", selector: Any = None) -> Manifest:
    containers = [{"name": "main", "image": "x"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": selector or labels}, "template": template}
    return manifest("Deployment", name, namespace, spec=spec)


def service(selector: dict[str, str] | None, namespace: str = "llm") -> Manifest:
    spec: dict[str, Any] = {"ports": [{"port": 1}]}
    return manifest("Service", "s", namespace, spec=spec | ({"selector": selector} if selector else {}))


@pytest.mark.parametrize(
    ("rest", "path", "cure"),
    [
        ({"spec": {"ports": [{"port": 80, "targetport": 80}]}}, "spec.ports[0].targetport", "targetPort"),
        ({"spec": {"ports": [{"port": "80"}]}}, "spec.ports[0].port", "an integer"),
        ({"spec": {"ports": [{"port": 80.0}]}}, "spec.ports[0].port", "an integer"),
        ({"spec": {"selector": {"a": None}}}, "spec.selector.a", "a string"),
        ({"spec": {"type": "Cluster"}}, "spec.type", "one of"),
        ({"spce": {}}, "spce", "spec"),
    ],
)
def test_field_that_kubernetes_refuses(rest: dict[str, Any], path: str, cure: str) -> None:
    bad = manifest("Service", **rest)
    (finding,) = check_manifests([bad])
    assert (finding.code, finding.severity, finding.path) == ("LOCO-MANIFEST", "error", path)
    assert finding.cure.startswith(cure)
    assert (finding.origin, finding.subject) == (ORIGIN, "Service/llm/a")


def test_missing_field_and_repeated_name() -> None:
    bad = deployment("a", {"a": "b"})
    containers = bad.data["spec"]["template"]["spec"]["containers"]
    containers.append(dict(containers[0]))
    del bad.data["spec"]["selector"]
    assert [finding.path for finding in check_manifests([bad])] == [
        "spec.template.spec.containers[1].name",
        "spec.selector",
    ]


def test_good_manifests_and_custom_resources_pass() -> None:
    assert not check_manifests(
        [deployment("a", {"a": "b"}), service({"a": "b"}), manifest("InferencePool", spec={1: 2})]
    )


def test_object_asked_for_twice() -> None:
    first, second = manifest("Service"), manifest("Service", spec={})
    (finding,) = check_unique(iter([first, second]))
    assert (finding.code, finding.severity, finding.subject) == ("LOCO-DUPLICATE", "error", "Service/llm/a")
    assert str(ORIGIN) in finding.message
    other_version = Manifest({**first.data, "apiVersion": "v2"}, None, ORIGIN)
    assert check_unique([first, other_version])


def test_likeness_is_no_duplicate() -> None:
    alike = [
        manifest("Service"),
        manifest("Secret"),
        manifest("Service", "b"),
        manifest("Service", namespace="other"),
        manifest("Namespace", namespace=""),
    ]
    assert not check_unique(iter(alike))


def test_one_logical_name_for_two_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = [manifest("Service", "a"), manifest("Service", "b")]
    assert not check_unique(pair)
    monkeypatch.setattr(names, "logical_name", lambda component, of: "same")
    (finding,) = check_unique(iter(pair))
    assert finding.code == "LOCO-DUPLICATE"
    assert "logical name" in finding.message


def test_service_without_pods() -> None:
    pods = deployment("a", {"a": "b", "c": "d"})
    assert not check_selectors([service({"a": "b"}), pods])
    assert not check_selectors([service(None), pods])
    for selector, namespace in (({"a": "x"}, "llm"), ({"a": "b"}, "other")):
        (finding,) = check_selectors(iter([service(selector, namespace), pods]))
        assert (finding.code, finding.severity) == ("LOCO-SELECTOR", "warning")


def test_deployments_that_would_fight() -> None:
    same = {"app": "a"}
    assert not check_selectors([deployment("a", same), deployment("b", same, "other")])
    assert not check_selectors([deployment("a", {"app": "a", "x": "1"}), deployment("b", {"app": "a", "x": "2"})])
    both = check_selectors([deployment("a", same), deployment("b", same)])
    assert [(f.code, f.severity, f.subject) for f in both] == [
        ("LOCO-SELECTOR", "error", "Deployment/llm/a"),
        ("LOCO-SELECTOR", "error", "Deployment/llm/b"),
    ]
    wide, narrow = deployment("a", same), deployment("b", {"app": "a", "x": "1"})
    assert [finding.subject for finding in check_selectors([wide, narrow])] == ["Deployment/llm/a"]
