"""Accounts, ConfigMaps and claims beside the models."""

from typing import Any

import pytest

from loco.plan import Plan
from tests.plan.stacks import found, one, plan_of, service


def companion(kind: str, name: str = "mine", namespace: str | None = None, **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **rest}


CLAIM = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "10Gi"}}}


def planned(*documents: dict[str, Any]) -> Plan:
    plan = plan_of(*documents)
    assert not plan.errors, [str(error) for error in plan.errors]
    return plan


def comes_before(plan: Plan, kind: str, after: str = "Deployment") -> bool:
    return (one(plan, kind).id, one(plan, after).id) in {(edge.before, edge.after) for edge in plan.edges}


def test_an_account_is_applied_as_it_is_before_the_pods_that_name_it() -> None:
    annotations = {"eks.amazonaws.com/role-arn": "arn"}
    account = companion("ServiceAccount", metadata={"annotations": annotations})
    plan = planned(account, service({"template": {"serviceAccountName": "mine"}}))
    made = one(plan, "ServiceAccount")
    assert made.data["metadata"] == {"name": "mine", "namespace": "llm", "annotations": annotations}
    assert comes_before(plan, "ServiceAccount")
    assert not comes_before(planned(account, service()), "ServiceAccount")
    elsewhere = companion("ServiceAccount", namespace="other")
    assert not comes_before(planned(elsewhere, service({"template": {"serviceAccountName": "mine"}})), "ServiceAccount")


VOLUMES = [
    {"persistentVolumeClaim": {"claimName": "mine"}},
    {"configMap": {"name": "mine"}},
    {"projected": {"sources": [{"configMap": {"name": "mine"}}]}},
]


@pytest.mark.parametrize("source", VOLUMES)
def test_volumes_name_claims_and_config_maps(source: dict[str, Any]) -> None:
    kind = "PersistentVolumeClaim" if "persistentVolumeClaim" in source else "ConfigMap"
    document = companion(kind, **({"spec": CLAIM} if kind == "PersistentVolumeClaim" else {"data": {"a": "1"}}))
    plan = planned(document, service({"template": {"volumes": [{"name": "v", **source}]}}))
    assert comes_before(plan, kind)
    assert one(plan, kind).wait.skip is (kind == "PersistentVolumeClaim")  # bound only when its pod comes


@pytest.mark.parametrize(
    "container",
    [
        {"envFrom": [{"configMapRef": {"name": "mine"}}]},
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "mine", "key": "a"}}}]},
    ],
)
def test_what_pods_read_of_a_config_map_rolls_them(container: dict[str, Any]) -> None:
    def annotations(value: str) -> dict[str, str]:
        engine = {"template": {"containers": [{"name": "main", **container}]}}
        plan = planned(companion("ConfigMap", data={"a": value}), service(engine))
        assert comes_before(plan, "ConfigMap")
        return dict(one(plan, "Deployment").data["spec"]["template"]["metadata"]["annotations"])

    (key,) = annotations("1")
    assert key == "locostack.com/digest.ConfigMap-mine"
    assert annotations("1") == annotations("1") != annotations("2")


def test_what_the_cluster_says_is_left_out() -> None:
    plan = planned(companion("PersistentVolumeClaim", spec=CLAIM, status={"phase": "Bound"}))
    assert "status" not in one(plan, "PersistentVolumeClaim").data
    assert [finding.path for finding in found(plan, "LOCO-NO-EFFECT", "warning")] == ["status"]


BAD: list[tuple[dict[str, Any], str, str]] = [
    (companion("ServiceAccount", secret=[]), "LOCO-UNKNOWN-KEY", "secret"),
    (companion("ConfigMap", data={"a": 1}), "LOCO-TYPE", "data.a"),
    (companion("ConfigMap", name="Big"), "LOCO-VALUE", "metadata.name"),
    (companion("ConfigMap", name="a" * 254), "LOCO-VALUE", "metadata.name"),
    (companion("ConfigMap", name=""), "LOCO-VALUE", "metadata.name"),
    (companion("ConfigMap", name=None), "LOCO-VALUE", "metadata.name"),  # type: ignore[arg-type]
    ({"apiVersion": "v1", "kind": "ConfigMap"}, "LOCO-VALUE", "metadata.name"),
    ({**companion("ConfigMap"), "apiVersion": "v2"}, "LOCO-KIND", "apiVersion"),
    (companion("PersistentVolumeClaim", spec={"accessModes": "x"}), "LOCO-TYPE", "spec.accessModes"),
    (companion("Secret", data={"a": "eA=="}), "LOCO-KIND", "kind"),
    ({**companion("ConfigMap"), "$patch": "delete"}, "LOCO-UNKNOWN-KEY", "$patch"),
    (companion("ConfigMap", metadata={"$patch": "replace"}), "LOCO-UNKNOWN-KEY", "metadata.$patch"),
    (companion("ConfigMap", data=None), "LOCO-TYPE", "data"),
    (companion("ConfigMap", data={"a": None}), "LOCO-TYPE", "data.a"),
    (companion("ConfigMap", data={"a b": "c"}), "LOCO-VALUE", 'data["a b"]'),
    (companion("ConfigMap", data={"..a": "c"}), "LOCO-VALUE", 'data["..a"]'),
    (companion("ConfigMap", data={"a": "c"}, binaryData={"a": "eA=="}), "LOCO-VALUE", "binaryData.a"),
    (companion("ConfigMap", namespace="L_x"), "LOCO-VALUE", "metadata.namespace"),
    (companion("ServiceAccount", metadata={"labels": {"a b": "c"}}), "LOCO-VALUE", 'metadata.labels["a b"]'),
    (companion("ServiceAccount", metadata={"labels": {"a": "c d"}}), "LOCO-VALUE", "metadata.labels.a"),
    (companion("ServiceAccount", metadata={"annotations": {"a b": "c"}}), "LOCO-VALUE", 'metadata.annotations["a b"]'),
]


@pytest.mark.parametrize(("document", "code", "path"), BAD, ids=lambda value: str(value)[:60])
def test_refused(document: dict[str, Any], code: str, path: str) -> None:
    errors = plan_of(document).errors
    assert (code, path) in [(error.code, error.path) for error in errors]
    assert all(error.cure for error in errors)


def test_a_secret_in_a_file_is_told_where_it_belongs_without_its_value() -> None:
    (error,) = plan_of(companion("Secret", stringData={"token": "hunter2"})).errors
    assert "credentials:" in str(error)
    assert "hunter2" not in repr(error)


def test_twice_is_once_too_often() -> None:
    assert [e.code for e in plan_of(companion("ConfigMap"), companion("ConfigMap")).errors] == ["LOCO-DUPLICATE"]
    planned(companion("ConfigMap"), companion("ServiceAccount"))
