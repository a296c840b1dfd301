"""The InferencePool, and that it agrees with the picker's Service and the pods that it names."""

from typing import Any

import pytest

from tests.plan.stacks import found, one, plan_of, planned, service


def router(pool: dict[str, Any] | None = None, **scheduler: Any) -> dict[str, Any]:
    return {"router": {"scheduler": {**({"pool": {"spec": pool}} if pool is not None else {}), **scheduler}}}


def pool_of(pool: dict[str, Any] | None = None) -> dict[str, Any]:
    result: dict[str, Any] = one(planned(router(pool)), "InferencePool").data["spec"]
    return result


PRESET = {
    "selector": {
        "matchLabels": {
            "app.kubernetes.io/name": "chat",
            "app.kubernetes.io/part-of": "llminferenceservice",
            "kserve.io/component": "workload",
        }
    },
    "targetPorts": [{"number": 8000}],
    "endpointPickerRef": {
        "kind": "Service",
        "name": "chat-epp-service",
        "port": {"number": 9002},
        "failureMode": "FailOpen",
    },
}


def test_the_presets_pool() -> None:
    assert pool_of() == PRESET


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ({"targetPorts": [{"number": 9000}, {"number": 9001}]}, {"targetPorts": [{"number": 9000}, {"number": 9001}]}),
        (
            {"endpointPickerRef": {"failureMode": "FailClose"}},
            {"endpointPickerRef": {**PRESET["endpointPickerRef"], "failureMode": "FailClose"}},
        ),
        (
            {"endpointPickerRef": {"port": None}},
            {"endpointPickerRef": PRESET["endpointPickerRef"]},
        ),
        (
            {"selector": {"matchLabels": {"llm-d.ai/role": "both"}}},
            {"selector": {"matchLabels": {**PRESET["selector"]["matchLabels"], "llm-d.ai/role": "both"}}},
        ),
    ],
)
def test_users_spec_lies_over_the_preset(over: dict[str, Any], expected: dict[str, Any]) -> None:
    assert pool_of(over) == {**PRESET, **expected}


@pytest.mark.parametrize("tls", [False, True])
def test_name_of_the_pickers_service_is_the_pools(tls: bool) -> None:
    spec = router({"endpointPickerRef": {"name": "my-picker"}})
    plan = planned({"router": {**spec["router"], "route": {}}}, platform={"tls": tls, "gateway": {"name": "g"}})
    service_id = one(plan, "Service", "my-picker").id
    assert one(plan, "InferencePool").data["spec"]["endpointPickerRef"]["name"] == "my-picker"
    assert any(edge.before == service_id and edge.after.kind == "InferencePool" for edge in plan.edges)
    assert not any("chat-epp-service" in str(manifest.data) for manifest in plan.manifests)
    if tls:
        (certificate,) = plan.certificates
        assert "my-picker.llm.svc.cluster.local" in certificate.dns_names


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ({"kind": "Gateway"}, "kind"),
        ({"name": "Not A Name"}, "name"),
        ({"name": "a.b"}, "name"),
        ({"port": {"number": 9999}}, "port"),
    ],
)
def test_reference_that_leads_nowhere_is_refused(reference: dict[str, Any], path: str) -> None:
    (error,) = plan_of(service(router({"endpointPickerRef": reference}))).errors
    assert error.path == f"spec.router.scheduler.pool.spec.endpointPickerRef.{path}"
    assert error.origin
    assert error.origin.layer == "service"


def test_selector_that_finds_no_pods_is_told() -> None:
    plan = plan_of(service(router({"selector": {"matchLabels": {"app.kubernetes.io/name": "other"}}})))
    (warning,) = found(plan, "LOCO-SELECTOR", "warning")
    assert warning.subject == "InferencePool/llm/chat-inference-pool"


def test_odd_pool_is_a_finding() -> None:
    for spec in ({"endpointPickerRef": 3}, {"targetPorts": [{"number": 0}]}, {"selector": {"matchLabels": {"a": 1}}}):
        (error,) = plan_of(service(router(spec))).errors
        assert error.path.startswith("spec.router.scheduler.pool.spec")


def test_a_pool_without_its_port_is_told_by_what_there_is() -> None:
    reference = {"pool": {"spec": {"endpointPickerRef": {"port": {"number": 1}}}}}
    ports = {"containers": [{"name": "main", "ports": [{"$patch": "replace"}]}]}
    (known,) = plan_of(service({"router": {"scheduler": reference}})).errors
    assert known.cure.startswith("port: {number: ")
    (bare,) = plan_of(service({"router": {"scheduler": {**reference, "template": ports}}})).errors
    assert bare.cure == "ports: [{name: grpc, containerPort: 1}] in the picker's container main"
    nothing = {"template": {"containers": []}}
    errors = plan_of(service({"router": {"scheduler": nothing}})).errors
    assert [error.path for error in errors] == ["spec.router.scheduler.template.containers"]
